package pack_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/mod/semver"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

const workspace = `
-- go.work --
go 1.26.0
use (
	./base
	./upper
	./other
)
-- base/go.mod --
module example.com/base
go 1.26.0
-- base/base.go --
package base
-- base/nested/go.mod --
module example.com/base/nested
-- base/nested/nested.go --
package nested
-- upper/go.mod --
module example.com/upper
go 1.26.0
require example.com/base v0.0.0
-- upper/upper.go --
package upper
import _ "example.com/base"
-- other/go.mod --
module example.com/other
go 1.26.0
-- other/other.go --
package other
`

// TestVersionsFollowContent checks that a packed version changes with the content of the module
// and of its requirements, and with nothing else.
func TestVersionsFollowContent(t *testing.T) {
	tests := []struct {
		reason  string
		file    string // written between two packs
		content string
		changed string // modules whose version changed, in order
	}{
		{"the same content has the same version", "other/other.go", "package other\n", ""},
		{"a change below reaches what stands on it", "base/base.go", "package base // changed\n", "base upper"},
		{"a change above stays there", "upper/new.go", "package upper\n", "upper"},
		{"a nested module is no part of a module", "base/nested/nested.go", "package nested // changed\n", ""},
		{"a test is part of a module", "other/testdata/case.txt", "x", "other"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			root, folder := extract(t), t.TempDir()
			before := packAll(t, root, folder)
			write(t, filepath.Join(root, filepath.FromSlash(test.file)), test.content)
			after := packAll(t, root, folder)

			var changed []string
			for i, m := range after.Modules {
				if m.Version != before.Modules[i].Version {
					changed = append(changed, m.Name)
				}
			}
			if got := strings.Join(changed, " "); got != test.changed {
				t.Errorf("changed: %q, want %q", got, test.changed)
			}
			if (before.Dir == after.Dir) != (test.changed == "") {
				t.Errorf("proxies %s and %s", before.Dir, after.Dir)
			}
		})
	}
}

func TestSameContentGivesSameBytes(t *testing.T) {
	first, second := packAll(t, extract(t), t.TempDir()), packAll(t, extract(t), t.TempDir())
	a, b := tree(t, first.Dir), tree(t, second.Dir)
	if len(a) != 4*len(first.Modules) || len(a) != len(b) {
		t.Fatalf("%d and %d files for %d modules", len(a), len(b), len(first.Modules))
	}
	for name, data := range a {
		if b[name] != data {
			t.Errorf("%s differs", name)
		}
	}
}

// TestGoAgreesWithSums lets the go command itself fetch every packed module, with no other
// proxy and an empty module cache.
func TestGoAgreesWithSums(t *testing.T) {
	proxy := packAll(t, extract(t), t.TempDir())
	in := command.In{Dir: t.TempDir(), Env: []string{
		"GOWORK=off", "GOFLAGS=-modcacherw", "GOPROXY=" + proxy.URL(), "GONOSUMDB=example.com", "GOMODCACHE=" + t.TempDir(),
	}}
	for _, m := range proxy.Modules {
		out, err := in.Output(t.Context(), "go", "mod", "download", "-json", m.ID().String())
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Version, Sum, GoModSum, GoMod string }
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if got.Version != m.Version || got.Sum != m.Sum || got.GoModSum != m.ModSum {
			t.Errorf("go has %+v, we have %s %s %s", got, m.Version, m.Sum, m.ModSum)
		}
		mod, err := os.ReadFile(got.GoMod)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name == "upper" && !strings.Contains(string(mod), "example.com/base "+proxy.Modules[0].Version) {
			t.Errorf("the packed go.mod does not require the packed sibling:\n%s", mod)
		}
		if !strings.Contains(proxy.Sums(), m.Path+" "+m.Version+"/go.mod "+m.ModSum+"\n") {
			t.Errorf("no line of go.sum for %s in\n%s", m.ID(), proxy.Sums())
		}
	}
}

func TestEnvironKeepsVariablesOfUser(t *testing.T) {
	t.Setenv("GOPROXY", "file:///mirror,off")
	t.Setenv("GONOSUMDB", "example.org")
	proxy := &pack.Proxy{Dir: "/cache/a b,c", Modules: []pack.Packed{{Module: modules.Module{Path: "example.com/base"}}}}
	env, err := proxy.Environ(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(env, "\n")
	for _, want := range []string{"GOPROXY=file:///cache/a%20b%2Cc,file:///mirror,off", "GONOSUMDB=example.org,example.com/base", "GOWORK=off"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestPruneRemovesOldPacksOnly(t *testing.T) {
	root, folder, cache := extract(t), t.TempDir(), t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	proxy := packAll(t, root, folder)
	base := proxy.Modules[0]
	yesterday := time.Now().Add(-25 * time.Hour)

	old := []string{
		filepath.Join(folder, "0123456789ab"),
		filepath.Join(cache, "example.com", "base@v0.0.0-packed.h0123456789ab"),
	}
	kept := []string{
		proxy.Dir,
		filepath.Join(cache, "example.com", "base@"+base.Version),
		filepath.Join(cache, "example.com", "base@v1.0.0"),
		filepath.Join(cache, "example.com", "base@v0.0.0-packed.20260101000000.h0123456789ab"),
		filepath.Join(cache, "example.org", "base@v0.0.0-packed.h0123456789ab"),
	}
	for _, dir := range append(old, kept...) {
		write(t, filepath.Join(dir, "inner", "file"), "x")
		if err := os.Chmod(filepath.Join(dir, "inner"), 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "inner"), 0o777) })
		if err := os.Chtimes(dir, yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
	}
	fresh := filepath.Join(folder, "ba9876543210")
	write(t, filepath.Join(fresh, "file"), "x")

	if err := proxy.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range old {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
	for _, dir := range append(kept, fresh) {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("%s was removed", dir)
		}
	}
}

func TestPackReportsModulesThatItCannotPack(t *testing.T) {
	root := extract(t)
	w, err := modules.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "base", "BASE.go"), "package base\n")
	folder := t.TempDir()
	if _, err := pack.Pack(w, folder); err == nil || !strings.Contains(err.Error(), "case-insensitive file name collision") {
		t.Errorf("error = %v, want one about names that differ in case only", err)
	}
	if left := tree(t, folder); len(left) > 0 {
		t.Errorf("a failed pack left %d files", len(left))
	}
}

func packAll(t *testing.T, root, folder string) *pack.Proxy {
	t.Helper()
	w, err := modules.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := pack.Pack(w, folder)
	if err != nil {
		t.Fatal(err)
	}
	return proxy
}

func extract(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(workspace)), root); err != nil {
		t.Fatal(err)
	}
	return root
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPackedVersionsFollowReleases requires that a pack is newer than the last release, and older
// than the next one.
func TestPackedVersionsFollowReleases(t *testing.T) {
	tests := []struct{ required, first, last string }{
		{"v0.0.0", "v0.0.0-0", "v0.0.0"},
		{"v0.1.0", "v0.1.0", "v0.1.1"},
		{"v1.2.9", "v1.2.9", "v1.2.10"},
		{"v1.0.0-rc.1", "v1.0.0-a", "v1.0.0"},
	}
	for _, test := range tests {
		root := extract(t)
		work := filepath.Join(root, "go.work")
		text, err := os.ReadFile(work)
		if err != nil {
			t.Fatal(err)
		}
		write(t, work, string(text)+"\nreplace example.com/base "+test.required+" => ./base\n")
		got := packAll(t, root, t.TempDir()).Modules[0].Version
		if semver.Compare(got, test.first) <= 0 || semver.Compare(got, test.last) >= 0 {
			t.Errorf("after %s: %s", test.required, got)
		}
	}
}

// TestKeptPacksRise checks that a later pack of other content has higher versions, and that the
// same content has the same pack.
func TestKeptPacksRise(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := extract(t)
	keep := func() *pack.Proxy {
		t.Helper()
		w, err := modules.Find(root)
		if err != nil {
			t.Fatal(err)
		}
		proxy, err := pack.Kept(w)
		if err != nil {
			t.Fatal(err)
		}
		return proxy
	}
	first := keep()
	if again := keep(); again.Dir != first.Dir || again.Modules[0].Version != first.Modules[0].Version {
		t.Errorf("the same content has the packs %s and %s", first.Dir, again.Dir)
	}
	for i := range 5 { // a hash alone would fall in some case
		write(t, filepath.Join(root, "base", "base.go"), fmt.Sprintf("package base // %d\n", i))
		next := keep()
		if semver.Compare(next.Modules[0].Version, first.Modules[0].Version) <= 0 {
			t.Errorf("%s does not follow %s", next.Modules[0].Version, first.Modules[0].Version)
		}
		first = next
	}
}

// TestProxiesReplaceEarlierPacks checks that a second eval of the printed environment leaves one
// pack in GOPROXY.
func TestProxiesReplaceEarlierPacks(t *testing.T) {
	t.Setenv("GOPROXY", "file:///cache/packs/earlier,https://example.org")
	proxy := &pack.Proxy{Dir: "/cache/packs/later"}
	env, err := proxy.Proxies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if env[0] != "GOPROXY=file:///cache/packs/later,https://example.org" {
		t.Errorf("the environment has %s", env[0])
	}
}
