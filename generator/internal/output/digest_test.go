package output_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/output"
)

// TestInputsDigest checks which changes affect the digest of inputs, and which do not.
func TestInputsDigest(t *testing.T) {
	dir := t.TempDir()
	edit(t, filepath.Join(dir, "a/x.json"), []byte("x"))
	edit(t, filepath.Join(dir, "a/y.json"), []byte("y"))
	edit(t, filepath.Join(dir, "a/.git/z"), []byte("z"))
	edit(t, filepath.Join(dir, "b/x.json"), []byte("x"))
	edit(t, filepath.Join(dir, "b/y.json"), []byte("y"))
	digest := func(add func(in *output.Inputs)) output.Digest {
		t.Helper()
		var in output.Inputs
		add(&in)
		d, err := in.Digest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	tree := func(name, folder string) func(in *output.Inputs) {
		return func(in *output.Inputs) {
			if err := in.AddTree(name, filepath.Join(dir, folder), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := digest(tree("schemas", "a"))
	tests := []struct {
		reason string
		add    func(in *output.Inputs)
		same   bool
	}{
		{"the folder's own name does not count, nor what is in dot folders", tree("schemas", "b"), true},
		{"files one by one, in any order", func(in *output.Inputs) { in.AddFiles("schemas", filepath.Join(dir, "b"), []string{"y.json", "x.json"}) }, true},
		{"the input's name counts", tree("ledger", "a"), false},
		{"a file less", func(in *output.Inputs) { in.AddFiles("schemas", filepath.Join(dir, "a"), []string{"x.json"}) }, false},
		{"names and contents belong together", func(in *output.Inputs) {
			in.AddFile("schemas/x.json", filepath.Join(dir, "a/y.json"))
			in.AddFile("schemas/y.json", filepath.Join(dir, "a/x.json"))
		}, false},
		{"bytes in memory count", func(in *output.Inputs) { tree("schemas", "a")(in); in.AddBytes("flags", nil) }, false},
		{"a file that is not there is not an empty file", func(in *output.Inputs) {
			tree("schemas", "a")(in)
			in.AddFile("flags", filepath.Join(dir, "none"))
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if same := digest(tt.add) == want; same != tt.same {
				t.Errorf("same digest: %v", same)
			}
		})
	}
	if absent, empty := digest(func(in *output.Inputs) { in.AddFile("f", filepath.Join(dir, "none")) }),
		digest(func(in *output.Inputs) { in.AddBytes("f", nil) }); absent == empty {
		t.Error("absent and empty have one digest")
	}
	if digest(tree("schemas", "none")) != digest(func(*output.Inputs) {}) {
		t.Error("a folder that does not exist is not empty")
	}
}

func TestInputsDigestError(t *testing.T) {
	var in output.Inputs
	in.AddFile("folder", t.TempDir())
	if d, err := in.Digest(t.Context()); err == nil {
		t.Errorf("a folder has the digest %s of a file", d)
	}
}

// TestStates checks that size and time of a file are in the digest, and that a missing file is an
// error.
func TestStates(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	seen := map[output.Digest]bool{}
	for _, state := range []struct {
		body string
		time int64
	}{{"1", 1}, {"1", 2}, {"12", 2}} {
		edit(t, file, []byte(state.body))
		if err := os.Chtimes(file, time.Unix(state.time, 0), time.Unix(state.time, 0)); err != nil {
			t.Fatal(err)
		}
		var in output.Inputs
		if err := in.AddStates("schemas", dir, []string{"a.json"}); err != nil {
			t.Fatal(err)
		}
		d, err := in.Digest(t.Context())
		if err != nil || seen[d] {
			t.Errorf("%v: digest %s, %v: as before", state, d, err)
		}
		seen[d] = true
	}
	if new(output.Inputs).AddStates("schemas", dir, []string{"b.json"}) == nil {
		t.Error("a file that does not exist has a state")
	}
}

func TestExecutableIsInput(t *testing.T) {
	var in output.Inputs
	if err := in.AddExecutable(); err != nil {
		t.Fatal(err)
	}
	empty, _ := new(output.Inputs).Digest(t.Context())
	if d, err := in.Digest(t.Context()); err != nil || d == empty {
		t.Errorf("got %s, %v", d, err)
	}
}

func TestHandWritten(t *testing.T) {
	dir := t.TempDir()
	mustApply(t, mustCompare(t, output.Run{Dir: dir, Files: []output.File{goFile("crm/a.go", "package crm"), {Path: "crm/plain.go", Body: []byte("package crm\n")}}}))
	for _, name := range []string{"crm/hand.go", "crm/storage/hand.go", "crm/.cache/x.go", "crm/notes.txt"} {
		edit(t, filepath.Join(dir, name), []byte("package crm\n"))
	}
	edit(t, filepath.Join(dir, "crm/copy.go"), goFile("", "package crm").Body)
	previous, err := output.ReadManifest(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := output.HandWritten(dir, previous)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"crm/hand.go", "crm/storage/hand.go"}, got); diff != "" {
		t.Errorf("hand-written (-want +got):\n%s", diff)
	}
	if got, err := output.HandWritten(filepath.Join(dir, "none"), nil); len(got) != 0 || err != nil {
		t.Errorf("got %q, %v of no folder", got, err)
	}
	if os.Getuid() > 0 {
		if err := os.Chmod(filepath.Join(dir, "crm/hand.go"), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := output.HandWritten(dir, previous); err == nil {
			t.Error("a file that cannot be read is silently left out")
		}
	}
}
