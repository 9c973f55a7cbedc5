package engine_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/golden"
)

// TestKubebuilder switches a project of three versions from hand-written conversions to generated
// ones, as docs/guide/howto/adopt-a-kubebuilder-project.md describes.
func TestKubebuilder(t *testing.T) {
	long(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "strata.yaml")
	copyTree(t, "testdata/kubebuilder", dir)
	databaseModule(t, dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -trimpath")

	code, out, errs := command(t, "import", "--config", config, "--cases", "60", "-o", "json")
	if code != cli.Findings {
		t.Fatalf("exit code %d of the first import: %s", code, errs)
	}
	if want := []string{"v1alpha1 spec.endpoint", "v1alpha1 spec.replicas", "v1alpha1 spec.size", "v1beta1 spec.replicas"}; strings.Join(differences(t, out), ",") != strings.Join(want, ",") {
		t.Errorf("read otherwise are %q, want %q", differences(t, out), want)
	}
	_, out, _ = command(t, "import", "--config", config, "--cases", "0")
	isGolden(t, "testdata/kubebuilder-import.txt", out)

	// This does what import proposes: metadata, a marker and two steps.
	copyTree(t, "testdata/kubebuilder-after", dir)
	types := filepath.Join(dir, "api/v1alpha1/database_types.go")
	write(t, dir, "api/v1alpha1/database_types.go", strings.Replace(contentsOf(t, types), "\tEngine Engine", "\t// +kubebuilder:default=Postgres\n\tEngine Engine", 1))
	code, out, errs = command(t, "import", "--config", config, "--cases", "60")
	if code != cli.Done || !strings.Contains(out, "180 objects stored, 540 readings: all as before") {
		t.Fatalf("exit code %d of the second import: %s%s", code, out, errs)
	}

	// A step that panics stops the comparison. One that returns an error leaves the generated result,
	// here and in the generated tests.
	step := "versions/db-example-com/v1beta1/storage/window.go"
	write(t, dir, step, strings.Replace(refusing, `return errors.New("no day")`, `panic(errors.New("no day"))`, 1))
	if code, out, errs = command(t, "import", "--config", config, "--cases", "60"); code != cli.Failed || !strings.Contains(errs, "no day") {
		t.Errorf("with a step that panics the exit code of an import is %d: %s%s", code, out, errs)
	}
	write(t, dir, step, refusing)
	code, out, errs = command(t, "import", "--config", config, "--cases", "60")
	if code != cli.Done || !strings.Contains(out, "180 objects stored, 540 readings: all as before") {
		t.Errorf("with a step that refuses the exit code of an import is %d: %s%s", code, out, errs)
	}

	if code, _, errs = generate(t.Context(), config); code != cli.Failed || strings.Count(errs, "is written by hand, and is to be generated") != 5 {
		t.Fatalf("with hand-written conversions in the way the exit code is %d: %s", code, errs)
	}
	before := deleteConversions(t, dir)
	if code, _, errs = generate(t.Context(), config); code != cli.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	isFormatted(t, dir)
	goTool(t, dir, "vet", "./...")
	t.Setenv("STRATA_UPDATE", "1") // what the steps do is looked at by people
	goTool(t, dir, "test", "-vet=off", "./versions/...")
	after := lines(t, dir, func(path string) bool { return strings.HasSuffix(path, "_assign.go") })
	t.Logf("%d lines of conversions were written by hand, %d are", before, after)
	if after*3 > before {
		t.Errorf("%d lines by hand are left of %d", after, before)
	}
	noticesEdits(t, dir, config)
}

// refusing is a step that refuses objects that the test draws.
const refusing = `package storage

import (
	"errors"

	v1 "example.com/db/versions/db-example-com/v1/storage"
)

// AssignToWindow refuses some days.
func (src *Window) AssignToWindow(dst *v1.Window) error { return refuse(src.Day) }

// AssignFromWindow refuses the same days.
func (dst *Window) AssignFromWindow(src *v1.Window) error { return refuse(src.Day) }

func refuse(day *string) error {
	if day != nil && len(*day)%2 == 1 {
		return errors.New("no day")
	}
	return nil
}
`

// isGolden compares with a file, which -update writes.
func isGolden(t *testing.T, file, got string) {
	t.Helper()
	if golden.Updates() {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(contentsOf(t, file), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// noticesEdits checks that files in packages of authors are checked, and removed, as others are.
func noticesEdits(t *testing.T, dir, config string) {
	t.Helper()
	if code, out, _ := generate(t.Context(), config, "--check"); code != cli.Done {
		t.Errorf("the second run finds drift: %s", out)
	}
	file := "api/v1beta1/zz_generated.strata.go"
	was := contentsOf(t, filepath.Join(dir, file))
	write(t, dir, file, was+"\n// mine\n")
	if code, out, _ := generate(t.Context(), config, "--check"); code != cli.Findings || !strings.Contains(out, "../"+file) {
		t.Errorf("exit code %d, and the edit is not found: %s", code, out)
	}
	if code, _, errs := generate(t.Context(), config); code != cli.Done || contentsOf(t, filepath.Join(dir, file)) != was {
		t.Errorf("the edited file is not generated again: %d %s", code, errs)
	}
	write(t, dir, "strata.yaml", strings.Replace(contentsOf(t, config), `["./api/..."]`, `["./api/..."], types: generated`, 1))
	if code, _, errs := generate(t.Context(), config); code != cli.Done {
		t.Fatalf("exit code %d with generated types: %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
		t.Error("a stale file in a package of people's is still there")
	}
	if _, err := os.Stat(filepath.Join(dir, "api/v1beta1/database_types.go")); err != nil {
		t.Error("a hand-written file is gone", err)
	}
}

// differences are the versions and paths that are read otherwise.
func differences(t *testing.T, out string) (paths []string) {
	t.Helper()
	var result struct {
		Readings []struct {
			Differences []struct{ Version, Path string }
		}
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	for _, r := range result.Readings {
		for _, d := range r.Differences {
			paths = append(paths, d.Version+" "+d.Path)
		}
	}
	return paths
}

// deleteConversions deletes the hand-written conversions, and reports how many lines they had.
func deleteConversions(t *testing.T, dir string) int {
	t.Helper()
	isConversion := func(path string) bool {
		return strings.HasSuffix(path, "_conversion.go") || strings.Contains(path, "internal/keep/")
	}
	n := lines(t, dir, isConversion)
	for _, path := range goFiles(t, dir, isConversion) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func lines(t *testing.T, dir string, wanted func(string) bool) int {
	t.Helper()
	n := 0
	for _, path := range goFiles(t, dir, wanted) {
		n += strings.Count(contentsOf(t, path), "\n")
	}
	return n
}

func goFiles(t *testing.T, dir string, wanted func(string) bool) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".go") && wanted(filepath.ToSlash(path)) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(to, "copied"), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Join(to, "copied"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(filepath.Join(to, "copied"), path)
		if err != nil {
			return err
		}
		write(t, to, filepath.ToSlash(below), contentsOf(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(to, "copied")); err != nil {
		t.Fatal(err)
	}
}

// databaseModule makes a module of the folder, called as the fixture's packages are.
func databaseModule(t *testing.T, dir string) {
	t.Helper()
	module(t, dir)
	write(t, dir, "go.mod", strings.Replace(contentsOf(t, filepath.Join(dir, "go.mod")), "module example.com/shop", "module example.com/db", 1))
}

// command runs strata.
func command(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Run(t.Context(), args, cli.Streams{Out: &stdout, Err: &stderr}, engine.Engine{})
	return code, stdout.String(), stderr.String()
}
