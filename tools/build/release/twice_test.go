package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// TestProgramsTwice installs a command from two module caches: with the same files, and with
// others.
func TestProgramsTwice(t *testing.T) {
	const program = "package main\n\nfunc main() { println(\"hello\") }\n"
	packed := func(text string) pack.Packed {
		t.Helper()
		p, err := pack.Release(modules.Module{Name: "upper", Path: "example.com/upper"}, "v0.1.0", map[string][]byte{
			"go.mod": []byte("module example.com/upper\n\ngo 1.26.0\n"), "cmd/hello/main.go": []byte(text), "LICENSE": nil,
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	serve := func(p pack.Packed) *pack.Proxy {
		t.Helper()
		proxy, err := pack.Serve(t.Context(), t.TempDir(), []pack.Packed{p})
		if err != nil {
			t.Fatal(err)
		}
		return proxy
	}
	environ := func(p *pack.Proxy) []string {
		t.Helper()
		env, err := p.Environ(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return env
	}
	p := packed(program)
	proxy := serve(p)
	elsewhere, err := proxy.Elsewhere(filepath.Join(t.TempDir(), "another", "cache"))
	if err != nil {
		t.Fatal(err)
	}
	g := &gates{work: t.TempDir(), env: environ(proxy), again: environ(elsewhere)}
	if err := extract(p, g.folder(p.Module)); err != nil {
		t.Fatal(err)
	}
	if err := g.install(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := g.programs(t.Context(), p); err != nil {
		t.Error(err)
	}
	g.again = environ(serve(packed(strings.Replace(program, "hello", "hallo", 1))))
	if err := g.programs(t.Context(), p); err == nil || !strings.Contains(err.Error(), "hello differs between two builds") {
		t.Errorf("another program: %v", err)
	}
}

// TestSame compares folders, as the gate of images does.
func TestSame(t *testing.T) {
	for _, test := range []struct {
		reason, want  string
		first, second map[string]string
	}{
		{"the same", "", map[string]string{"a": "1", "b/c": "2"}, map[string]string{"a": "1", "b/c": "2"}},
		{"another byte", "b/c differs", map[string]string{"a": "1", "b/c": "2"}, map[string]string{"a": "1", "b/c": "3"}},
		{"a file less", "a differs", map[string]string{"a": "1"}, nil},
		{"a file more", "1 and 2 files", map[string]string{"a": "1"}, map[string]string{"a": "1", "b": "1"}},
	} {
		var folders []string
		for _, files := range []map[string]string{test.first, test.second} {
			dir := t.TempDir()
			folders = append(folders, dir)
			for name, text := range files {
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		err := same(folders[0], folders[1])
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
}
