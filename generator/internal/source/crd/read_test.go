package crd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/syntax"
)

func TestReadFails(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		reason string
		ctx    context.Context
		files  []string
		want   string
	}{
		{"of no files there is nothing to read", context.Background(), nil, "no files"},
		{"a context that ended ends reading", ended, []string{"a.yaml"}, "context canceled"},
	}
	for _, tt := range tests {
		if _, err := Read(tt.ctx, Options{Releases: []Release{{Root: t.TempDir(), Files: tt.files}}}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.reason, err)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large.yaml"), []byte("# "+strings.Repeat("x", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	calls := 0
	result, err := Read(context.Background(), Options{
		Releases: []Release{{Root: dir, Files: []string{"gone.yaml", "large.yaml"}}}, Limits: syntax.Limits{Size: 50, Depth: 10, Values: 10},
		Progress: func(done, total int) {
			if calls++; done != calls || total != 2 {
				t.Errorf("progress %d of %d in call %d", done, total, calls)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Broken) != 2 || calls != 2 || len(result.Files) != 0 {
		t.Fatalf("broken %+v, %d calls, files %v", result.Broken, calls, result.Files)
	}
	for i, want := range []string{"the file cannot be read: ", "the file has 102 bytes, more than the limit of 50"} {
		if text := result.Broken[i].Messages[0].Text; !strings.HasPrefix(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
