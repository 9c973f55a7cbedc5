package output_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/output"
)

// TestRuns makes two runs, with edits between them. In each archive, first/ and second/ are the
// output of the runs, and edit/ are the files that the user changes between them (a body of
// "(removed)" removes the file). owns, if present, is the folder to which the second run is
// limited. want has the changes, the drift, the messages, and the folder afterwards.
func TestRuns(t *testing.T) {
	golden.Run(t, "testdata/runs/*.txtar", "want", func(t *testing.T, archive golden.Files) string {
		t.Helper()
		inMemory, onStage := play(t, archive, output.InMemory), play(t, archive, output.OnStage)
		if diff := cmp.Diff(inMemory, onStage); diff != "" {
			t.Errorf("a run with files on stage differs (-in memory +on stage):\n%s", diff)
		}
		return inMemory
	})
}

func play(t *testing.T, archive golden.Files, bodies output.Bodies) string {
	t.Helper()
	t.Chdir(t.TempDir())
	first := mustCompare(t, output.Run{Dir: "api", Files: files(section(archive, "first/"))})
	mustApply(t, first)
	for name, body := range section(archive, "edit/") {
		edit(t, filepath.Join("api", name), body)
	}
	run := output.Run{Dir: "api", Previous: first.Manifest, Bodies: bodies}
	made := files(section(archive, "second/"))
	if folder, ok := section(archive, "owns")["owns"]; ok {
		run.Owns = func(path string) bool { return strings.HasPrefix(path, strings.TrimSpace(string(folder))+"/") }
	}
	before := snapshot(t, "api")
	comparison := output.Begin(run)
	err := comparison.Add(t.Context(), made...)
	var changes *output.Changes
	if err == nil {
		changes, err = comparison.End(t.Context())
	}
	if diff := cmp.Diff(before, visible(snapshot(t, "api"))); diff != "" {
		t.Errorf("the comparison changed the folder:\n%s", diff)
	}
	out := outcome(t, changes, err)
	if err := comparison.Close(); err != nil {
		t.Error(err)
	}
	if all := snapshot(t, "api"); len(visible(all)) < len(all) {
		t.Errorf("left behind: %q", all)
	}
	return out
}

// visible returns the lines of a snapshot without those of stages.
func visible(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.Contains(line, "/.strata-") })
}

// outcome applies the changes and describes the result.
func outcome(t *testing.T, changes *output.Changes, err error) string {
	t.Helper()
	var out bytes.Buffer
	var list diag.List
	list.AddError(err)
	if err == nil {
		list.Add(changes.Messages...)
		if err := changes.Print(&out); err != nil {
			t.Fatal(err)
		}
		for _, drift := range changes.Drift() {
			fmt.Fprintf(&out, "drift: %s: %s\n", drift.Path, drift.Kind)
		}
		mustApply(t, changes)
	}
	if err := (diag.Printer{}).Text(&out, list.Messages()); err != nil {
		t.Fatal(err)
	}
	out.WriteString("after:\n")
	for _, line := range visible(snapshot(t, "api")) {
		fmt.Fprintln(&out, line)
	}
	return out.String()
}

func mustCompare(t testing.TB, run output.Run) *output.Changes {
	t.Helper()
	changes, err := output.Compare(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func mustApply(t testing.TB, changes *output.Changes) {
	t.Helper()
	if err := changes.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func edit(t *testing.T, name string, body []byte) {
	t.Helper()
	if string(body) == "(removed)\n" {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// snapshot returns a line for each file and empty folder, without the content of manifests.
func snapshot(t *testing.T, dir string) []string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative := filepath.ToSlash(strings.TrimPrefix(name, dir))
		if entry.IsDir() {
			if inside, err := os.ReadDir(name); err == nil && len(inside) == 0 {
				lines = append(lines, "  empty folder "+relative)
			}
			return nil
		}
		body, err := os.ReadFile(name)
		last := strings.TrimSpace(string(body[bytes.LastIndexByte(bytes.TrimSpace(body), '\n')+1:]))
		if entry.Name() == output.ManifestFile {
			last = fmt.Sprintf("%d files", bytes.Count(body, []byte("sha256")))
		}
		lines = append(lines, fmt.Sprintf("  %s: %s", relative, last))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// section returns the files of an archive below a prefix, by the rest of their names. If the prefix
// is a whole name, it returns that file.
func section(archive golden.Files, prefix string) map[string][]byte {
	found := map[string][]byte{}
	for name, body := range archive {
		if rest, ok := strings.CutPrefix(name, prefix); ok && (rest == "") != strings.HasSuffix(prefix, "/") {
			if rest == "" {
				rest = prefix
			}
			found[rest] = []byte(body)
		}
	}
	return found
}

func files(bodies map[string][]byte) []output.File {
	var list []output.File
	for name, body := range bodies {
		list = append(list, output.File{Path: name, Body: body})
	}
	return list
}
