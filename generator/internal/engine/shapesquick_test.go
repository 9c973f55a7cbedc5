package engine_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/cputime"
)

// wide50k has 50,000 properties in one object.
var wide50k = shape{name: "50,000 properties", n: 1, members: func(int, int) map[string]any { return wideOf(50_000) }, rows: 1}

// TestShapesAreQuick bounds the processor time and the allocations of a run on types that refer to
// each other, and on a wide object. Exponential or quadratic work exceeds them many times over. Of
// some tries one has to keep the bound.
func TestShapesAreQuick(t *testing.T) {
	for _, tt := range []struct {
		shape shape
		time  time.Duration
		bytes uint64
	}{
		{named(t, "complete graph"), 2 * time.Second, 64 << 20},
		{named(t, "ladder of double references"), 2 * time.Second, 64 << 20},
		{wide50k, 5 * time.Second, 1500 << 20},
	} {
		t.Run(tt.shape.name, func(t *testing.T) {
			const tries = 4
			took, bytes := time.Duration(1<<62), uint64(1<<62)
			for range tries {
				oneTook, oneBytes := tt.shape.cost(t)
				if took, bytes = min(took, oneTook), min(bytes, oneBytes); took < tt.time && bytes < tt.bytes {
					t.Logf("%s, %d MB allocated", took, bytes>>20)
					return
				}
			}
			t.Errorf("it takes %s and allocates %d bytes, want %s and %d", took, bytes, tt.time, tt.bytes)
		})
	}
}

func named(t *testing.T, name string) shape {
	t.Helper()
	for _, s := range shapes {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("there is no shape %q", name)
	return shape{}
}

// cost generates a shape, and returns the processor time and the bytes that this takes.
func (s shape) cost(t *testing.T) (time.Duration, uint64) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	s.write(t, dir)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cputime.Used()
	code, _, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
	took := cputime.Used() - began
	runtime.ReadMemStats(&after)
	if code != cli.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	return took, after.TotalAlloc - before.TotalAlloc
}

// TestRecursionIsCut generates 14 types that all refer to each other. Their CRD is cut where a
// type recurs, and a note and the report state it.
func TestRecursionIsCut(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	named(t, "complete graph").write(t, dir)
	code, _, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
	if want := "strata: note: the CRD carts.contoso-shop.example.com would be larger than 512000 bytes"; code != cli.Done || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, %s, want %s", code, errs, want)
	}
	report, err := os.ReadFile(filepath.Join(dir, "api/reports/contoso-shop/crds.md"))
	if want := "written here too; its members are checked at its first path"; err != nil || !strings.Contains(string(report), want) {
		t.Errorf("%v, the report lacks %q", err, want)
	}
}
