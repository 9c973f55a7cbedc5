package pack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// TestOverlay checks that a cache shares modules of others by links, and leaves ours out.
func TestOverlay(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{
		"single.dev@v1.0.0/x/a.go", "example.com/ours@v1.0.0/a.go", "example.com/others@v1.0.0/a.go", "example.org/b@v1.0.0/a.go",
		"cache/download/example.com/ours/@v/list", "cache/download/example.com/others/@v/list",
	} {
		path := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := overlay(from, to, []string{"example.com/ours"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"single.dev@v1.0.0": true, "example.com/others@v1.0.0": true, "example.org": true, "cache/download/example.com/others": true,
		"example.com/ours@v1.0.0": false, "cache/download/example.com/ours": false,
	} {
		info, err := os.Lstat(filepath.Join(to, filepath.FromSlash(name)))
		if isLink := err == nil && info.Mode()&os.ModeSymlink != 0; isLink != want {
			t.Errorf("%s is a link: %v, want %v (%v)", name, isLink, want, err)
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
