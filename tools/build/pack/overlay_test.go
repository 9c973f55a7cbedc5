package pack

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/module"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// TestOverlay checks that a cache shares modules of others and leaves ours out. The folders of
// modules are links, or copies of those that go mod verify reads.
func TestOverlay(t *testing.T) {
	from := t.TempDir()
	for _, name := range []string{
		"single.dev@v1.0.0/x/a.go", "single.dev@v1.1.0/x/a.go", "example.com/!upper/z@v1.0.0/a.go", "example.com/ours@v1.0.0/a.go",
		"example.com/others@v1.0.0/a.go", "example.org/b@v1.0.0/a.go", "cache/download/example.com/ours/@v/list", "cache/download/example.com/others/@v/list",
	} {
		path := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const none, link, folder = "none", "a link", "a folder"
	for _, test := range []struct {
		verified map[module.Version]bool
		want     map[string]string
	}{
		{nil, map[string]string{
			"single.dev@v1.0.0": link, "single.dev@v1.1.0": link, "example.com/!upper": link, "example.com/others@v1.0.0": link, "example.org": link,
		}},
		{map[module.Version]bool{{Path: "single.dev", Version: "v1.0.0"}: true, {Path: "example.com/Upper/z", Version: "v1.0.0"}: true, {Path: "example.com/ours", Version: "v1.0.0"}: true}, map[string]string{
			"single.dev@v1.0.0": folder, "single.dev@v1.0.0/x": folder, "single.dev@v1.1.0": none, "example.com/!upper/z@v1.0.0": folder, "example.com/others@v1.0.0": none,
		}},
	} {
		to := t.TempDir()
		if err := overlay(from, to, []string{"example.com/ours"}, test.verified); err != nil {
			t.Fatal(err)
		}
		test.want["example.com/ours@v1.0.0"], test.want["cache/download/example.com/ours"] = none, none
		test.want["cache/download/example.com/others"] = link
		for name, want := range test.want {
			got := none
			if info, err := os.Lstat(filepath.Join(to, filepath.FromSlash(name))); err == nil {
				got = folder
				if info.Mode()&os.ModeSymlink != 0 {
					got = link
				}
			}
			if got != want {
				t.Errorf("with verified %v, %s is %s, want %s", test.verified, name, got, want)
			}
		}
	}
}

// TestNestedModules gets a module whose parent, at the same version, is in the module cache.
func TestNestedModules(t *testing.T) {
	var all []Packed
	for _, name := range []string{"upper", "upper/lower"} {
		p, err := Release(modules.Module{Name: name, Path: "example.com/" + name}, "v0.1.0", map[string][]byte{
			"go.mod": []byte("module example.com/" + name + "\n\ngo 1.26.0\n"), "cmd/" + name + "/main.go": []byte("package main\n\nfunc main() {}\n"),
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for name, value := range map[string]string{"GOPRIVATE": "example.com", "GONOPROXY": "example.com", "GOENV": filepath.Join(t.TempDir(), "env")} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if name == "GOENV" {
				if err := os.WriteFile(value, []byte("GOPRIVATE=example.com\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			proxy, err := Serve(t.Context(), t.TempDir(), all)
			if err != nil {
				t.Fatal(err)
			}
			env, err := proxy.Environ(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			in := command.In{Dir: t.TempDir(), Env: env}
			for _, args := range [][]string{{"mod", "init", "example.org/project"}, {"get", "example.com/upper@v0.1.0"}, {"get", "example.com/upper/lower@v0.1.0"}} {
				if _, err := in.Output(t.Context(), "go", args...); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
