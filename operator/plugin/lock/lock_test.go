package lock_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/operator/plugin/lock"
)

func TestReadIsWrite(t *testing.T) {
	dir := t.TempDir()
	if _, err := lock.Read(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want that there is none", err)
	}
	sum := strings.Repeat("0f", 32)
	written := &lock.File{Plugins: []lock.Entry{
		{File: "b", SHA256: sum, Serves: []lock.Served{{Kind: "provider", Version: 2, Name: "example.com/b"}}},
		{File: "a", SHA256: sum, Serves: []lock.Served{}, Environment: []string{"AZURE_*"}},
	}}
	if err := written.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := lock.Read(dir)
	if err != nil || got.Plugins[0].File != "a" {
		t.Fatalf("got %v, %v, want the plugins by their names", got, err)
	}
	if diff := cmp.Diff(written, got); diff != "" {
		t.Error(diff)
	}
	plugins, err := lock.Load(dir)
	if err != nil || len(plugins) != 2 || plugins[1].Path != filepath.Join(dir, "b") || plugins[1].Digest != sum ||
		plugins[1].Serves[0].String() != "provider example.com/b v2" {
		t.Errorf("got %+v, %v", plugins, err)
	}
	if len(plugins[0].Environment) != 1 || plugins[1].Environment == nil || len(plugins[1].Environment) > 0 {
		t.Errorf("the plugins get %q and %q, want what is named, and nothing", plugins[0].Environment, plugins[1].Environment)
	}
	if plugins[0].Serves == nil {
		t.Error("a plugin that is locked to serve nothing would be asked")
	}
}

func TestBadLocks(t *testing.T) {
	tests := []struct{ reason, text, want string }{
		{"no JSON", "x", "invalid character"},
		{"an unknown key", `{"version":1,"plugin":[]}`, `unknown field "plugin"`},
		{"another version", `{"version":2}`, "it has version 2, and only 1 is known"},
		{"a program elsewhere", `{"version":1,"plugins":[{"file":"../sh","sha256":"` + strings.Repeat("0", 64) + `"}]}`, `"../sh" is not the name of a file`},
		{"a bad pattern", `{"version":1,"plugins":[{"file":"a","sha256":"` + strings.Repeat("0", 64) + `","environment":["["]}]}`, `a: environment "[": syntax error`},
		{"no digest", `{"version":1,"plugins":[{"file":"a","sha256":""}]}`, `a: "" is not a SHA-256`},
	}
	for _, test := range tests {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, lock.Name), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := lock.Load(dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error = %v, want it to contain %q", test.reason, err, test.want)
		}
	}
}
