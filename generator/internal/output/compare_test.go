package output_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/parallel"
)

// TestStageKeepsFilesUntilApply adds files from several goroutines. They are on a stage until Apply
// moves them. A comparison that is closed before leaves nothing, not even new folders.
func TestStageKeepsFilesUntilApply(t *testing.T) {
	for _, applies := range []bool{false, true} {
		parent := filepath.Join(t.TempDir(), "gen")
		dir := filepath.Join(parent, "api")
		comparison := output.Begin(output.Run{Dir: dir, Bodies: output.OnStage})
		err := parallel.Try(t.Context(), 100, 8, func(i int) error {
			return comparison.Add(t.Context(), goFile(fmt.Sprintf("g%d/v%d/f.go", i%7, i), fmt.Sprintf("package v%d", i)))
		})
		if err != nil {
			t.Fatal(err)
		}
		changes, err := comparison.End(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lines := snapshot(t, dir)
		if len(lines) != 100 || len(visible(lines)) > 0 {
			t.Errorf("before Apply: %d files, of which %d are visible", len(lines), len(visible(lines)))
		}
		want := 0
		if applies {
			mustApply(t, changes)
			want = 100 + 1
		}
		if err := comparison.Close(); err != nil {
			t.Fatal(err)
		}
		if applies {
			lines = snapshot(t, dir)
		} else if _, err := os.Lstat(parent); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a folder is left behind: %v", err)
		} else {
			lines = nil
		}
		if len(lines) != want {
			t.Errorf("afterwards: %d files, want %d", len(lines), want)
		}
	}
}

// TestStageIsNotMadeWithoutChanges requires that a run without changes does not touch the folder.
func TestStageIsNotMadeWithoutChanges(t *testing.T) {
	dir := t.TempDir()
	file := goFile("a/a.go", "package a")
	mustApply(t, mustCompare(t, output.Run{Dir: dir, Files: []output.File{file}}))
	before := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(dir, before, before); err != nil {
		t.Fatal(err)
	}
	comparison := output.Begin(output.Run{Dir: dir, Bodies: output.OnStage})
	if err := comparison.Add(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	changes, err := comparison.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, changes)
	if err := comparison.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(dir); err != nil || !after.ModTime().Equal(before) {
		t.Errorf("the folder was changed: %v", err)
	}
}

// TestBodiesNowhereCannotBeApplied shows changes without keeping what to write.
func TestBodiesNowhereCannotBeApplied(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "api")
	changes := mustCompare(t, output.Run{Dir: dir, Files: []output.File{goFile("a/a.go", "package a")}, Bodies: output.Nowhere})
	if changes.Count(output.Create) != 2 {
		t.Errorf("%d files to create", changes.Count(output.Create))
	}
	if err := changes.Apply(t.Context()); err == nil {
		t.Error("no error")
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the output folder: %v", err)
	}
}

// TestAddEndsWithItsContext adds nothing once the context has ended.
func TestAddEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	comparison := output.Begin(output.Run{Dir: t.TempDir(), Bodies: output.OnStage})
	if err := comparison.Add(ctx, goFile("a/a.go", "package a")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
