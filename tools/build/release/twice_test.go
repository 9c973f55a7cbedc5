package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// TestProgramsTwice builds a command in two folders: from the same files, and from others.
func TestProgramsTwice(t *testing.T) {
	m := modules.Module{Name: "upper", Path: "example.com/upper"}
	g := &gates{work: t.TempDir(), env: []string{"GOWORK=off", "GOFLAGS=-trimpath"}}
	write := func(copy, name, text string) {
		t.Helper()
		file := filepath.Join(g.folder(copy, m), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const program = "package main\n\nfunc main() { println(\"hello\") }\n"
	for _, copy := range copies {
		write(copy, "go.mod", "module example.com/upper\n\ngo 1.26.0\n")
		write(copy, "cmd/hello/main.go", program)
	}
	if err := g.programs(t.Context(), pack.Packed{Module: m}); err != nil {
		t.Error(err)
	}
	write(copies[1], "cmd/hello/main.go", strings.Replace(program, "hello", "hallo", 1))
	if err := g.programs(t.Context(), pack.Packed{Module: m}); err == nil || !strings.Contains(err.Error(), "hello differs between two builds") {
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
