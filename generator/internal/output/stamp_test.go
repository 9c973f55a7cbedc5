package output_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/generator/internal/output"
)

// TestFresh makes one change after a run, and checks whether the next run is unnecessary.
func TestFresh(t *testing.T) {
	tests := []struct {
		reason string
		change func(t *testing.T, dir, stamp string)
		want   bool
	}{
		{"nothing changed", func(*testing.T, string, string) {}, true},
		{"a hand-written file came: its bytes are among the inputs, not the outputs",
			func(t *testing.T, dir, _ string) { edit(t, filepath.Join(dir, "crm/hand.go"), []byte("package crm\n")) }, true},
		{"a generated file was edited", func(t *testing.T, dir, _ string) {
			edit(t, filepath.Join(dir, "crm/a.go"), append(goFile("", "package crm").Body, ' '))
		}, false},
		{"a generated file is missing", func(t *testing.T, dir, _ string) { edit(t, filepath.Join(dir, "crm/a.go"), []byte("(removed)\n")) }, false},
		{"the manifest was edited", func(t *testing.T, dir, _ string) { edit(t, filepath.Join(dir, "manifest.json"), []byte("{}")) }, false},
		{"the ledger was edited", func(t *testing.T, dir, _ string) { edit(t, filepath.Join(dir, "ledger/crm.txt"), nil) }, false},
		{"a file came that says it is ours", func(t *testing.T, dir, _ string) {
			edit(t, filepath.Join(dir, "crm/copy.go"), goFile("", "package crm").Body)
		}, false},
		{"the output folder is gone", func(t *testing.T, dir, _ string) {
			if err := os.Rename(dir, dir+"2"); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"the stamp is damaged", func(t *testing.T, _, stamp string) { edit(t, stamp, []byte(`{"inputs":"00`)) }, false},
		{"the stamp lists nothing", func(t *testing.T, _, stamp string) { edit(t, stamp, []byte(`{}`)) }, false},
		{"the stamp leads out of the folder", func(t *testing.T, _, stamp string) {
			edit(t, stamp, []byte(`{"inputs":"0700000000000000000000000000000000000000000000000000000000000000","outputs":[{"path":"../x","sha256":""}]}`))
		}, false},
		{"the stamp is gone", func(t *testing.T, _, stamp string) { edit(t, stamp, []byte("(removed)\n")) }, false},
	}
	inputs := output.Digest{7}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			dir, stamp := stamped(t, inputs)
			tt.change(t, dir, stamp)
			if got := output.ReadStamp(dir).Fresh(t.Context(), dir, inputs, nil); got != tt.want {
				t.Errorf("fresh: %v", got)
			}
		})
	}
	t.Run("other inputs", func(t *testing.T) {
		dir, _ := stamped(t, inputs)
		if output.ReadStamp(dir).Fresh(t.Context(), dir, output.Digest{8}, nil) {
			t.Error("fresh with other inputs")
		}
	})
	t.Run("the result comes back", func(t *testing.T) {
		dir, _ := stamped(t, inputs)
		if got := string(output.ReadStamp(dir).Result); got != `{"resources":3}` {
			t.Errorf("got %s", got)
		}
	})
	t.Run("another folder has a stamp of its own", func(t *testing.T) {
		dir, _ := stamped(t, inputs)
		if output.ReadStamp(dir+"2") != nil {
			t.Error("two folders share a stamp")
		}
	})
}

// stamped makes a run in a new folder with its own cache, and returns the folder and its stamp
// file.
func stamped(t *testing.T, inputs output.Digest) (dir, stamp string) {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("LocalAppData", cache)
	dir = filepath.Join(t.TempDir(), "api")
	changes := mustCompare(t, output.Run{Dir: dir, Files: []output.File{
		goFile("crm/a.go", "package crm"), {Path: "ledger/crm.txt", Body: []byte("persons\n")}, {Path: "crds/a.yaml", Body: []byte("a\n")},
	}})
	mustApply(t, changes)
	s := output.Stamp{Inputs: inputs, Outputs: changes.Outputs, Result: []byte(`{"resources":3}`)}
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, pattern := range []string{"strata/*.json", "Library/Caches/strata/*.json"} {
		names, _ := filepath.Glob(filepath.Join(cache, pattern))
		found = append(found, names...)
	}
	if len(found) != 1 {
		t.Fatalf("stamps: %q", found)
	}
	return dir, found[0]
}

func TestNoCacheFolder(t *testing.T) {
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	if (&output.Stamp{}).Write("api") == nil {
		t.Error("a stamp went nowhere, silently")
	}
	if s := output.ReadStamp("api"); s.Fresh(t.Context(), "api", output.Digest{}, nil) {
		t.Error("fresh without a stamp")
	}
}
