package openapi

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFails(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason string
		ctx    context.Context
		o      Options
		want   string
	}{
		{"a pattern that is none", context.Background(), Options{Root: dir, Include: []string{"[a"}}, "is not a glob"},
		{"of no files there is nothing to read", context.Background(), Options{Root: dir, Include: []string{"*.yaml"}}, "no file below"},
		{"a root that is not there", context.Background(), Options{Root: filepath.Join(dir, "none")}, "list schemas below"},
		{"a context that ended ends reading", ended, Options{Root: dir}, "context canceled"},
	}
	for _, tt := range tests {
		if _, err := Read(tt.ctx, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.reason, err)
		}
	}
}

func TestFilesThatAreTooLarge(t *testing.T) {
	dir := t.TempDir()
	large, err := os.Create(filepath.Join(dir, "large.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Truncate(int64(limits.Size) + 1); err != nil {
		t.Fatal(err)
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	result, err := Read(context.Background(), Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Broken) != 1 || !strings.Contains(result.Broken[0].Messages[0].Text, "more than the limit of") || len(result.Files) != 0 {
		t.Errorf("broken %+v, files %v", result.Broken, result.Files)
	}
}
