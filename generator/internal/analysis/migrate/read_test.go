package migrate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/analysis/migrate"
	"github.com/stratakube/strata/generator/internal/golden"
)

// TestRead follows conversions as people write them.
func TestRead(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOPROXY", "off")
	golden.Run(t, "testdata/*.txtar", "flows", func(t *testing.T, files golden.Files) string {
		dir := t.TempDir()
		for name, body := range files {
			if name == "flows" {
				continue
			}
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(body), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		code, err := migrate.Read(t.Context(), dir, []string{"./..."})
		if err != nil {
			t.Fatal(err)
		}
		return spelled(code)
	})
}

func spelled(code *migrate.Code) string {
	var b strings.Builder
	fmt.Fprintf(&b, "hubs %q\nannotations %q\n", code.Hubs, code.Annotations)
	for _, c := range code.Conversions {
		fmt.Fprintf(&b, "%s.%s to %s\n", c.Package, c.Kind, c.Hub)
		for _, f := range c.Flows {
			way, how := "down", "derived of"
			if f.Up {
				way = "up"
			}
			switch {
			case f.Exact:
				how = "is"
			case f.Constant:
				how = "is a constant"
			case f.Kept:
				how = "was kept"
			}
			fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("  %s %d: %s %s %s", way, f.Pos.Line, f.To, how, strings.Join(f.From, ", "))))
		}
	}
	return b.String()
}
