package output

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// other is the token of another process.
const other = "abcdefghijklmnopqrstuvwxyz"

// TestRunsRemoveLeftovers: a run removes what runs which were killed have left behind an hour ago,
// in the output folder and beside it, also where it has nothing to write; it is not spared then.
// What another run may still be writing stays, and so does all that is the author's.
func TestRunsRemoveLeftovers(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := t.TempDir()
	dir := filepath.Join(root, "api")
	files := []File{{"../v1/" + BesideFile, []byte(Header + "\n\npackage v1\n")}, {"a.go", []byte(Header + "\n\npackage api\n")}}
	put(t, root, "v1/mine.go", "package v1", 0)
	changes := compared(t, Run{Dir: dir, Files: files})
	if err := changes.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	stamp := &Stamp{Inputs: Digest{1}, Outputs: changes.Outputs}
	if !stamp.Fresh(t.Context(), dir, stamp.Inputs, nil) {
		t.Error("the run is not spared")
	}
	beside := "v1/." + BesideFile + ".strata-"
	stay := map[string]string{
		beside + strings.Repeat("b", 26):                         Header, // young
		beside + strings.Repeat("c", 26):                         "// mine",
		beside + strings.Repeat("d", 26) + ".orig":               Header,
		beside + "4711":                                          Header,
		"v1/.mine.go.strata-" + other:                            Header,
		"v1/.strata-" + other + "/f":                             Header,
		"api/.strata-" + strings.Repeat("b", 26) + "/young.go":   Header,
		"api/.strata-2024/notes":                                 "mine",
		"api/.strata-cache/notes":                                "mine",
		"v2/." + BesideFile + ".strata-" + other:                 Header, // no file of ours is there
		"v1/mine.go":                                             "package v1",
		"v1/" + BesideFile:                                       string(files[0].Body),
		"api/a.go":                                               string(files[1].Body),
		"v1/." + BesideFile + ".strata-" + other[1:] + "z/inner": Header,
	}
	for name, body := range stay {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			put(t, root, name, body, map[bool]time.Duration{false: 2 * time.Hour}[strings.Contains(name, "bbbb")])
		}
	}
	for _, left := range []map[string]string{
		{beside + other: Header + "\n\npack"}, {beside + other: Header[:9]}, {"api/.strata-" + other + "/a/a.go": "x"},
		{beside + other: "", "api/.strata-" + other + "/a/a.go": "x"},
	} {
		for name, body := range left {
			put(t, root, name, body, 2*time.Hour)
		}
		if stamp.Fresh(t.Context(), dir, stamp.Inputs, nil) {
			t.Errorf("the run is spared beside %q", slices.Collect(maps.Keys(left)))
		}
		run := Run{Dir: dir, Files: files}
		if len(left) > 1 { // a run that writes
			run.Files = append(slices.Clone(files), File{"b.go", []byte(Header + "\n\npackage api\n")})
			stay["api/b.go"] = string(run.Files[2].Body)
		}
		if err := compared(t, run).Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(stay, bodiesBelow(t, root)); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", left, diff)
		}
	}
}

// TestTokensDiffer checks that two processes write under two names, whatever their numbers are.
func TestTokensDiffer(t *testing.T) {
	if !stageNames.MatchString(stageName+token) || !besideNames.MatchString(hidden(BesideFile)) || token == other {
		t.Errorf("the token is %s", token)
	}
}

func compared(t *testing.T, run Run) *Changes {
	t.Helper()
	changes, err := Compare(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// put writes a file, and sets the age of it and its folder.
func put(t *testing.T, root, name, body string, age time.Duration) {
	t.Helper()
	file, at := filepath.Join(root, filepath.FromSlash(name)), time.Now().Add(-age)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
	for path := file; path != root; path = filepath.Dir(path) {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// bodiesBelow are the files below a folder, but for the manifest.
func bodiesBelow(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ManifestFile {
			return err
		}
		body, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(name)] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
