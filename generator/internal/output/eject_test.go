package output_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/output"
)

// TestEjectIsAllOrNothing interrupts an ejection of many files at each point where it checks for
// interrupts, at least once for each file that it reads and for each that it writes. It must report
// the interrupt and change nothing, or everything.
func TestEjectIsAllOrNothing(t *testing.T) {
	var files []output.File
	for i := range 12 {
		files = append(files, goFile(fmt.Sprintf("a/f%d.go", i), "package a"))
	}
	eject := func(ctx context.Context, dir string, manifest *output.Manifest) (read bool, err error) {
		changes, err := output.Eject(ctx, dir, manifest)
		if err != nil {
			return false, err
		}
		return true, changes.Apply(ctx)
	}
	reading, writing := 0, 0
	for n := int64(0); ; n++ {
		dir := filepath.Join(t.TempDir(), "api")
		generated := mustCompare(t, output.Run{Dir: dir, Files: files})
		mustApply(t, generated)
		had := snapshot(t, dir)
		ctx := &endsAfter{Context: t.Context()}
		ctx.left.Store(n)
		isRead, err := eject(ctx, dir, generated.Manifest)
		if err == nil {
			break
		}
		if diff := cmp.Diff(had, snapshot(t, dir)); diff != "" || !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d: %v, changed (-before +after):\n%s", n, err, diff)
		}
		if isRead {
			writing++
		} else {
			reading++
		}
	}
	if reading < len(files) || writing < len(files) {
		t.Errorf("%d files are ejected, with %d checks for interrupts while reading and %d while writing", len(files), reading, writing)
	}
}
