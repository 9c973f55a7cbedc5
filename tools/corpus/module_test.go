package corpus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/corpus"
)

// ownCache gives the test a user's cache folder of its own.
func ownCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

func workspace(t *testing.T) *modules.Workspace {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestModuleTakesWorkspacesModulesFromTheirFolders(t *testing.T) {
	cache, w := ownCache(t), workspace(t)
	m, unlock, err := corpus.OpenModule(w, "probe", corpus.Project{Schemas: "schemas", Include: corpus.Of("A.B")})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if want := filepath.Join(cache, "strata", "corpus", "probe"); m.Dir != want {
		t.Errorf("the module lies in %s, want %s", m.Dir, want)
	}
	text := string(read(t, filepath.Join(m.Dir, "go.mod")))
	for _, want := range []string{
		"module corpus.strata.test\n",
		"github.com/stratakube/strata/runtime => " + filepath.Join(w.Root, "runtime"),
		"github.com/stratakube/strata/operator/api => " + filepath.Join(w.Root, "operator", "api"),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("go.mod lacks %q:\n%s", want, text)
		}
	}
	config := string(read(t, m.Config()))
	if want := `- arm: {root: "schemas", include: ["*/A.B.json"]}`; !strings.Contains(config, want) {
		t.Errorf("strata.yaml lacks %q:\n%s", want, config)
	}
}

func TestModuleRequiresThoseOfAnother(t *testing.T) {
	ownCache(t)
	w := workspace(t)
	m, unlock, err := corpus.OpenModule(w, "probe", corpus.Project{Like: "webhook"})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	text := string(read(t, filepath.Join(m.Dir, "go.mod")))
	for _, want := range []string{
		"github.com/stratakube/strata/webhook v0.0.0",
		"github.com/stratakube/strata/webhook => " + filepath.Join(w.Root, "webhook"),
		"github.com/prometheus/client_golang v",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("go.mod lacks %q:\n%s", want, text)
		}
	}
	if _, _, err := corpus.OpenModule(w, "other", corpus.Project{Like: "nothing"}); err == nil {
		t.Error("a module like none was opened")
	}
}

func TestWriteFolderLeavesNothingElse(t *testing.T) {
	ownCache(t)
	m, unlock, err := corpus.OpenModule(workspace(t), "probe", corpus.Project{})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for _, files := range []map[string][]byte{
		{"a.go": []byte("package a // old\n"), "b.go": []byte("package a\n")},
		{"a.go": []byte("package a\n"), "c.go": []byte("package a\n")},
	} {
		if err := m.WriteFolder("a", files); err != nil {
			t.Fatal(err)
		}
		got := tree(t, filepath.Join(m.Dir, "a"))
		if len(got) != len(files) {
			t.Errorf("%d files lie there, want %d", len(got), len(files))
		}
		for name, body := range files {
			if there := read(t, filepath.Join(m.Dir, "a", name)); string(there) != string(body) {
				t.Errorf("%s is %q, want %q", name, there, body)
			}
		}
	}
}

func TestModuleIsOpenOnceAtTime(t *testing.T) {
	ownCache(t)
	w := workspace(t)
	_, unlock, err := corpus.OpenModule(w, "probe", corpus.Project{})
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan error)
	go func() {
		_, unlockOther, err := corpus.OpenModule(w, "probe", corpus.Project{})
		if err == nil {
			unlockOther()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Errorf("the module was opened twice, with error %v", err)
	case <-time.After(200 * time.Millisecond):
		unlock()
		if err := <-opened; err != nil {
			t.Error(err)
		}
	}
}
