package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// TestErrorsOfOutputFolders checks the errors of a folder that no user can make, and of a file that
// no user can read. Only the first is about writing. Neither reports that files have changed.
func TestErrorsOfOutputFolders(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Chdir(dir)
	for _, tt := range []struct {
		name, output, want, hint string
		args                     []string
	}{
		{"a folder that cannot be made", "/proc/strata", "strata.yaml:", "nothing in it has changed", nil},
		{"a file that cannot be read", "api", "compare with the output folder: ", "", nil},
		{"a file that cannot be read, with --check", "api", "compare with the output folder: ", "", []string{"--check"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop(t, ".", 2)
			replace(t, ".", "strata.yaml", "dir: api", "dir: "+tt.output)
			loop := "api/reports/contoso-shop/changes.md"
			if err := os.MkdirAll(filepath.Dir(loop), 0o755); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(loop)
			if err := os.Symlink("changes.md", loop); err != nil {
				t.Fatal(err)
			}
			code, _, errs := generate(t.Context(), "strata.yaml", tt.args...)
			if code == cli.Done || !strings.Contains(errs, tt.want) || !strings.Contains(errs, tt.hint) || strings.Contains(errs, "some files are new") {
				t.Errorf("exit code %d, %s", code, errs)
			}
			if tt.hint == "" && strings.Contains(errs, "hint") {
				t.Errorf("a hint about writing: %s", errs)
			}
			if left, err := filepath.Glob("api/.strata-*"); err != nil || len(left) > 0 {
				t.Errorf("left behind: %q, %v", left, err)
			}
		})
	}
}
