package engine_test

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/countdown"
	"github.com/stratakube/strata/generator/internal/engine"
)

// TestInterruptedEject interrupts an ejection at many checks for interrupts. It must report the
// interrupt, as all commands do, and leave the generated files as they were.
func TestInterruptedEject(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Chdir(dir)
	shop(t, ".", 2)
	before := mustGenerate(t, "strata.yaml")
	for n := int64(0); ; n += 1 + n/8 {
		code, out, errs := eject(countdown.New(t.Context(), n))
		after, err := contents("api")
		if err != nil {
			t.Fatal(err)
		}
		if code == cli.Done {
			if n < int64(len(before)) || maps.Equal(before, after) {
				t.Errorf("%d checks for interrupts, changed: %q", n, differing(before, after))
			}
			return
		}
		if code != cli.Interrupted || out != "" || errs != "strata: error: interrupted\n" {
			t.Fatalf("after %d: exit code %d, %q, %q", n, code, out, errs)
		}
		if !maps.Equal(before, after) {
			t.Fatalf("after %d, changed: %q", n, differing(before, after))
		}
	}
}

func eject(ctx context.Context) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = cli.Run(ctx, []string{"eject"}, cli.Streams{Out: &stdout, Err: &stderr}, engine.Engine{})
	return code, stdout.String(), stderr.String()
}
