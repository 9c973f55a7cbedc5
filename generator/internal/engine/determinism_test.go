package engine_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDeterminism checks that the same inputs give the same bytes, in any folder, from any
// working folder, and with any number of workers.
func TestDeterminism(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want map[string]string
	for _, tt := range []struct {
		reason  string
		from    string // the working folder, below that of the configuration's parent
		workers int
	}{
		{"one worker, in the folder of the configuration", "work", 1},
		{"several workers, in the folder of the configuration", "work", 4},
		{"one worker, from elsewhere", "elsewhere", 1},
		{"several workers, from elsewhere", "elsewhere", 4},
		{"an absolute path", "", 2},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			shop(t, filepath.Join(dir, "work"), 9)
			write(t, dir, "elsewhere/file", "")
			config := filepath.Join(dir, "work", "strata.yaml")
			if tt.from != "" {
				t.Chdir(filepath.Join(dir, tt.from))
				config = filepath.Join("..", "work", "strata.yaml")
			}
			runtime.GOMAXPROCS(tt.workers)
			got := mustGenerate(t, config)
			if want == nil {
				want = got
			}
			if changed := differing(want, got); len(changed) > 0 || len(got) < 50 {
				t.Errorf("of %d files differ: %q", len(got), changed)
			}
		})
	}
}

// TestGrowing adds versions one by one, and checks that a generated version does not need its
// schema again.
func TestGrowing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Chdir(dir)
	for versions := range 9 {
		shop(t, ".", versions+1)
		mustGenerate(t, "strata.yaml")
	}
	want := mustGenerate(t, "strata.yaml")
	write(t, ".", "few/2010-01-01/Contoso.Shop.json", shopSchema("Contoso.Shop", "2010-01-01", 0))
	write(t, ".", "few.yaml", strings.Replace(shopConfig, "root: schemas", "root: few", 1))
	if changed := differing(want, mustGenerate(t, "few.yaml")); len(changed) > 0 {
		t.Errorf("without the schemas differ: %q", changed)
	}
}
