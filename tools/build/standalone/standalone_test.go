package standalone_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/standalone"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// TestEveryModuleStandsAlone checks the modules of this workspace.
func TestEveryModuleStandsAlone(t *testing.T) {
	tier.Long(t, "builds every module once more")
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := pack.Cached(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range w.Modules {
		t.Run(m.Name, func(t *testing.T) {
			if err := standalone.Check(t.Context(), m, proxy); err != nil {
				t.Errorf("%v\n(go tool mage tidy writes the requirements and sums that are missing)", err)
			}
		})
	}
}

const workspace = `
-- go.work --
go 1.26.0
use (
	./base
	./upper
)
replace (
	example.com/base v0.0.0 => ./base
	example.com/upper v0.0.0 => ./upper
)
-- base/go.mod --
module example.com/base

go 1.26.0
-- base/base.go --
package base

const Name = "base"
-- upper/go.mod --
module example.com/upper

go 1.26.0

require example.com/base v0.0.0
-- upper/upper.go --
package upper

import "example.com/base"

const Name = base.Name
`

func TestCheck(t *testing.T) {
	tests := []struct{ reason, change, err string }{
		{"a module builds with its sibling out of a zip", "", ""},
		{
			"what go.work alone provides is missing",
			"-- upper/go.mod --\nmodule example.com/upper\ngo 1.26.0\n",
			"no required module provides package example.com/base",
		},
		{
			"what a sibling keeps out of its zip is missing",
			"-- base/part/go.mod --\nmodule example.com/base/part\n-- base/part/part.go --\npackage part\n-- upper/more.go --\npackage upper\nimport _ \"example.com/base/part\"\n",
			"no required module provides package example.com/base/part",
		},
		{
			"tests are built, too",
			"-- upper/upper_test.go --\npackage upper\nvar _ int = Name\n",
			"cannot use Name",
		},
		{
			"vet has a say",
			"-- upper/upper_test.go --\npackage upper\nimport \"fmt\"\nfunc f() { fmt.Printf(\"%d\", Name) }\n",
			"has arg Name of wrong type",
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			ownModuleCache(t)
			root := extract(t, workspace, test.change)
			w, proxy := packAll(t, root)
			upper, err := w.Module("upper")
			if err != nil {
				t.Fatal(err)
			}
			before := read(t, upper.Dir)
			err = standalone.Check(t.Context(), upper, proxy)
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error = %v, want it to contain %q", err, test.err)
			}
			if read(t, upper.Dir) != before {
				t.Error("the committed go.mod was changed")
			}
		})
	}
}

func TestTidy(t *testing.T) {
	tests := []struct{ reason, change, changed, mod string }{
		{"a tidy module stays as it is", "", "", "require example.com/base v0.0.0\n"},
		{
			"a sibling that is imported since is required at the version that is committed",
			"-- upper/go.mod --\nmodule example.com/upper\n\ngo 1.26.0\n",
			"upper", "require example.com/base v0.0.0\n",
		},
		{
			"a sibling that only a sibling imports is required at the version that is committed, and stays",
			"-- go.work --\ngo 1.26.0\nuse (\n\t./base\n\t./upper\n\t./top\n)\nreplace (\n\texample.com/base v0.0.0 => ./base\n\texample.com/upper v0.0.0 => ./upper\n)\n" +
				"-- top/go.mod --\nmodule example.com/top\n\ngo 1.26.0\n\nrequire example.com/upper v0.0.0\n\nrequire example.com/base v0.0.0 // indirect\n" +
				"-- top/LICENSE --\nfree\n-- top/top.go --\npackage top\n\nimport _ \"example.com/upper\"\n",
			"", "require example.com/base v0.0.0\n",
		},
		{
			"a sibling that is imported no more is dropped",
			"-- upper/upper.go --\npackage upper\n",
			"upper", "module example.com/upper\n\ngo 1.26.0\n",
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			ownModuleCache(t)
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Setenv("GOPROXY", "off")
			root := extract(t, workspace, test.change)
			w, _ := packAll(t, root)
			untidy, err := standalone.Untidy(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			changed, err := standalone.Tidy(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(changed, " "); got != test.changed || got != strings.Join(untidy, " ") {
				t.Errorf("untidy %q, changed %q, want %q", untidy, changed, test.changed)
			}
			if got := read(t, filepath.Join(root, "upper")); !strings.HasSuffix(got, test.mod) {
				t.Errorf("go.mod and go.sum are\n%swant them to end with\n%s", got, test.mod)
			}
			if again, err := standalone.Untidy(t.Context(), w); err != nil || len(again) > 0 {
				t.Errorf("still untidy: %q (error %v)", again, err)
			}
		})
	}
}

const external = `
-- go.work --
go 1.26.0
use (
	./outside
	./fixture
)
-- fixture/go.mod --
module example.com/fixture

go 1.26.0
-- fixture/fixture.go --
package fixture
-- outside/go.mod --
module example.com/outside

go 1.26.0

require example.com/fixture v0.0.0
-- outside/outside.go --
package outside
-- outside/outside_test.go --
package outside

import _ "example.com/fixture"
`

// TestDownload downloads a module that only a test of an imported package imports. go mod tidy then
// needs no proxy.
func TestDownload(t *testing.T) {
	upper, proxy := importsOther(t)
	if err := standalone.Download(t.Context(), upper, proxy); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	if _, _, err := standalone.WithReleases(t.Context(), upper, proxy); err != nil {
		t.Errorf("go mod tidy needs more: %v", err)
	}
}

// TestDownloadForUser does so for a user of the module.
func TestDownloadForUser(t *testing.T) {
	upper, proxy := importsOther(t)
	if err := standalone.DownloadForUser(t.Context(), upper, proxy); err != nil {
		t.Fatal(err)
	}
	zips, _ := filepath.Glob(filepath.Join(os.Getenv("GOMODCACHE"), "cache", "download", "example.com", "fixture", "@v", "*.zip"))
	if len(zips) == 0 {
		t.Error("the fixture of an imported package was not downloaded")
	}
}

// importsOther returns a module that imports a package of another proxy, with an empty cache.
func importsOther(t *testing.T) (modules.Module, *pack.Proxy) {
	t.Helper()
	ownModuleCache(t)
	_, others := packAll(t, extract(t, external))
	t.Setenv("GOPROXY", others.URL())
	t.Setenv("GONOSUMDB", "*")
	var required string
	for _, m := range others.Modules {
		required += "require " + m.Path + " " + m.Version + "\n"
	}
	w, proxy := packAll(t, extract(t, workspace,
		"-- upper/go.mod --\nmodule example.com/upper\ngo 1.26.0\nrequire example.com/base v0.0.0\n"+required,
		"-- upper/go.sum --\n"+string(others.Sums()),
		"-- upper/more.go --\npackage upper\nimport _ \"example.com/outside\"\n",
		"-- upper/internal/own.go --\npackage internal\n-- upper/command/main.go --\npackage main\nfunc main() {}\n",
	))
	upper, err := w.Module("upper")
	if err != nil {
		t.Fatal(err)
	}
	return upper, proxy
}

func packAll(t *testing.T, root string) (*modules.Workspace, *pack.Proxy) {
	t.Helper()
	w, err := modules.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := pack.Pack(w, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return w, proxy
}

// ownModuleCache keeps the modules of a test out of the user's module cache.
func ownModuleCache(t *testing.T) {
	t.Helper()
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Cleanup(func() {
		if err := exec.Command("go", "clean", "-modcache").Run(); err != nil {
			t.Error(err)
		}
	})
}

// extract writes the archives below a new folder, of two files with one name the later.
func extract(t *testing.T, archives ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(strings.Join(archives, ""))).Files {
		path := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// read returns the go.mod of a module, and its go.sum where it has one.
func read(t *testing.T, dir string) string {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, _ := os.ReadFile(filepath.Join(dir, "go.sum"))
	return string(mod) + string(sums)
}
