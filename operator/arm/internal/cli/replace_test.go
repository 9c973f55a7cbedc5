package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestReplace checks that a file is written completely or not at all: not after an error, nor after
// an interrupt that comes with the last byte.
func TestReplace(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		reason string
		err    error
		cancel bool
		want   string
	}{
		{"completely", nil, false, "new"},
		{"after an error", broken, false, "old"},
		{"after an interrupt", context.Canceled, true, "old"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "out.yaml")
		if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err := replace(ctx, file, func(to io.Writer) error {
			_, err := io.WriteString(to, "new")
			if tt.cancel {
				cancel()
				return err
			}
			return errors.Join(err, tt.err)
		})
		cancel()
		text, readErr := os.ReadFile(file)
		left, listErr := os.ReadDir(dir)
		if !errors.Is(err, tt.err) || errors.Join(readErr, listErr) != nil || string(text) != tt.want || len(left) != 1 {
			t.Errorf("%s: the file has %q beside %d others, and the error is %v", tt.reason, text, len(left)-1, err)
		}
	}
}
