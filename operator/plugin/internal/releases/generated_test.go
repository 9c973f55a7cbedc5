package releases_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedCodeIsFresh finds protobuf files that were edited after code was generated from
// them, and generated code that was edited by hand, without generating: go tool mage proto writes
// proto/generated.txt with the code.
func TestGeneratedCodeIsFresh(t *testing.T) {
	const module = "../.."
	noted, err := os.ReadFile(filepath.Join(module, "proto", "generated.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(noted)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = sum
	}
	err = filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), module+"/")
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".proto") && !strings.HasSuffix(name, ".pb.go") && entry.Name() != "buf.gen.yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); err == nil && got != want[name] {
			t.Errorf("%s has changed since code was generated: run go tool mage proto", name)
		}
		delete(want, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("%s is gone since code was generated: run go tool mage proto", name)
	}
}
