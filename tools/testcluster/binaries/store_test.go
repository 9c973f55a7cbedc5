package binaries

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

func TestProgramsAreBuiltOnce(t *testing.T) {
	s, r, printed := testStore(t), testRecipe(t), &lines{}
	s.report = printed.add
	folders := make([]Folder, 2)
	var both sync.WaitGroup
	for i := range folders {
		both.Go(func() {
			var err error
			if folders[i], err = s.build(t.Context(), r, []Program{Etcd, Kubectl}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	want := []string{
		"building etcd, kubectl of Kubernetes v1.37.1: that takes 3 to 10 minutes, once",
		"built etcd, 1 of 2",
		"built kubectl, 2 of 2",
	}
	if diff := cmp.Diff(want, printed.of("buil")); diff != "" {
		t.Error(diff)
	}
	if folders[0] != folders[1] {
		t.Errorf("the programs are in %s and in %s", folders[0], folders[1])
	}
	if out, err := exec.Command(folders[0].Path(Kubectl)).CombinedOutput(); string(out) != "v1.37.1 1 37" {
		t.Errorf("kubectl says %q (%v), want the version of Kubernetes", out, err)
	}
	if diff := cmp.Diff([]string{r.key, r.key + "/etcd", r.key + "/kubectl", "lock"}, tree(t, s.dir)); diff != "" {
		t.Error(diff)
	}
}

func TestProgramThatDoesNotCompile(t *testing.T) {
	s, r := testStore(t), testRecipe(t)
	write(t, filepath.Join(s.dir, staging, "etcd"), "half of one, of a process that was killed")
	_, err := s.build(t.Context(), r, []Program{Etcd, APIServer, Kubectl})
	if err == nil || !strings.HasPrefix(err.Error(), "build kube-apiserver: ") || !strings.Contains(err.Error(), "main.go:3") {
		t.Errorf("error = %v, want it to name the program and the line", err)
	}
	if missing := names(Folder(filepath.Join(s.dir, r.key)).lacking(Server)); missing != "kube-apiserver, kubectl" {
		t.Errorf("%s are missing, want all from the one that failed", missing)
	}
}

func TestBuildIsGivenUp(t *testing.T) {
	s, r := testStore(t), testRecipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.report = func(string) { cancel() }
	if _, err := s.build(ctx, r, []Program{Etcd}); err == nil {
		t.Error("a build went on")
	}
	if missing := Folder(filepath.Join(s.dir, r.key)).lacking([]Program{Etcd}); len(missing) == 0 {
		t.Error("a program is there that was not built")
	}
}

func TestOldFoldersGo(t *testing.T) {
	s, r := testStore(t), testRecipe(t)
	for name, age := range map[string]time.Duration{"old": unused + time.Hour, "recent": time.Hour} {
		write(t, filepath.Join(s.dir, name, "etcd"), "")
		then := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(s.dir, name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.build(t.Context(), r, []Program{Etcd}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{r.key, r.key + "/etcd", "lock", "recent", "recent/etcd"}, tree(t, s.dir)); diff != "" {
		t.Error(diff)
	}
}

// lines are lines that were reported, by several goroutines.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func (l *lines) of(prefix string) []string {
	var some []string
	for _, line := range l.all {
		if strings.HasPrefix(line, prefix) {
			some = append(some, line)
		}
	}
	return some
}

func testStore(t *testing.T) store {
	t.Helper()
	return store{t.TempDir(), func(string) {}}
}

func testModule(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func testRecipe(t *testing.T) recipe {
	t.Helper()
	r, err := read(t.Context(), testModule(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func tree(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*", "*/*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	for i, path := range all {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = filepath.ToSlash(rel)
	}
	slices.Sort(all)
	return all
}
