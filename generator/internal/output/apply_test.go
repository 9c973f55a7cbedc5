package output_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/output"
)

func goFile(name, rest string) output.File {
	return output.File{Path: name, Body: []byte(output.Header + "\n" + rest + "\n")}
}

// TestUnchangedFilesAreNotTouched checks that the bytes and times of the file and of its folder do
// not change.
func TestUnchangedFilesAreNotTouched(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "api")
	run := output.Run{Dir: dir, Files: []output.File{goFile("crm/a.go", "package crm"), goFile("mail/b.go", "package mail")}}
	first := mustCompare(t, run)
	mustApply(t, first)
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, name := range []string{"crm/a.go", "crm", "mail/b.go", "mail", "manifest.json", "."} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	run.Previous, run.Files[1] = first.Manifest, goFile("mail/b.go", "package mail // new")
	second := mustCompare(t, run)
	mustApply(t, second)
	touched := map[string]bool{}
	for _, name := range []string{"crm/a.go", "crm", "mail/b.go", "manifest.json"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		touched[name] = !info.ModTime().Equal(old)
	}
	want := map[string]bool{"crm/a.go": false, "crm": false, "mail/b.go": true, "manifest.json": true}
	if diff := cmp.Diff(want, touched); diff != "" {
		t.Errorf("touched (-want +got):\n%s", diff)
	}
	if second.Count(output.Keep) != 1 || second.Count(output.Update) != 2 {
		t.Errorf("kept %d, updated %d", second.Count(output.Keep), second.Count(output.Update))
	}
}

func TestApplyLeavesNoTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	files := []output.File{goFile("a/a.go", "package a"), goFile("b/b.go", "package b")}
	changes := mustCompare(t, output.Run{Dir: dir, Files: files})
	if err := os.MkdirAll(filepath.Join(dir, "b", "b.go"), 0o755); err != nil { // a folder with the file's name
		t.Fatal(err)
	}
	if err := changes.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "write b") {
		t.Errorf("got %v, want the folder named that failed", err)
	}
	for _, line := range snapshot(t, dir) {
		if strings.Contains(line, ".strata-") {
			t.Errorf("left behind: %s", line)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, output.ManifestFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the manifest was written after a failure: %v", err)
	}
}

// TestApplyShowsNewFoldersWhole checks that no new folder is visible if one of them cannot be
// written, and that the next run completes the work.
func TestApplyShowsNewFoldersWhole(t *testing.T) {
	dir := t.TempDir()
	run := output.Run{Dir: dir, Files: []output.File{
		goFile("a/a.go", "package a"), goFile("a/b/c/c.go", "package c"), goFile("old/new/n.go", "package n"), goFile("z/z.go", "package z"),
	}}
	if err := os.MkdirAll(filepath.Join(dir, "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	changes := mustCompare(t, run)
	if err := os.WriteFile(filepath.Join(dir, "old/new"), nil, 0o666); err != nil { // a file with the folder's name
		t.Fatal(err)
	}
	if err := changes.Apply(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if got, want := snapshot(t, dir), 1; len(got) != want {
		t.Errorf("got %q, want the file in the way alone", got)
	}
	if err := os.Remove(filepath.Join(dir, "old/new")); err != nil {
		t.Fatal(err)
	}
	if err := changes.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, file := range run.Files {
		if body, err := os.ReadFile(filepath.Join(dir, file.Path)); err != nil || !bytes.Equal(body, file.Body) {
			t.Errorf("%s: %q, %v", file.Path, body, err)
		}
	}
	if got, want := snapshot(t, dir), len(run.Files)+1; len(got) != want {
		t.Errorf("got %q, want %d files", got, want)
	}
}

func TestApplyStopsWhenCancelled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "api")
	changes := mustCompare(t, output.Run{Dir: dir, Files: []output.File{goFile("a/a.go", "package a")}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := changes.Apply(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 {
		t.Errorf("written after cancelling: %q", left)
	}
	if _, err := output.Compare(ctx, output.Run{Dir: dir, Files: []output.File{goFile("a/a.go", "")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Compare: %v", err)
	}
}

// endsAfter is a context that ends after a number of calls.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestApplyIsAllOrNothing interrupts a run that creates, updates and removes files, beside the
// output folder too, at each point where it checks for interrupts. It must change nothing, or
// everything.
func TestApplyIsAllOrNothing(t *testing.T) {
	before := []output.File{
		goFile("a/a.go", "package a // 1"), goFile("a/stale.go", "package a"), goFile("gone/g.go", "package gone"), goFile("../own/zz_generated.strata.go", "package own // 1"),
		{Path: "ledger/zoo/ape.txt", Body: []byte("1")}, {Path: "ledger/index.json", Body: []byte("1")},
	}
	after := []output.File{
		goFile("a/a.go", "package a // 2"), goFile("a/b/c/c.go", "package c"), goFile("../own/zz_generated.strata.go", "package own // 2"), goFile("../other/zz_generated.strata.go", "package other"),
		{Path: "ledger/zoo/ape.txt", Body: []byte("2")}, {Path: "ledger/zoo/bat.txt"}, {Path: "ledger/index.json", Body: []byte("2")}, goFile("z/z.go", "package z"),
	}
	interrupted := 0
	for n := int64(0); ; n++ {
		dir := t.TempDir()
		for _, folder := range []string{"own", "other"} {
			if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		api := filepath.Join(dir, "api")
		first := mustCompare(t, output.Run{Dir: api, Files: before})
		mustApply(t, first)
		had := snapshot(t, dir)
		changes := mustCompare(t, output.Run{Dir: api, Files: after, Previous: first.Manifest})
		ctx := &endsAfter{Context: t.Context()}
		ctx.left.Store(n)
		err := changes.Apply(ctx)
		has := snapshot(t, dir)
		if err == nil {
			if len(has) != len(after)+1 || interrupted < len(after) {
				t.Errorf("%d files after %d interrupts: %q", len(has), interrupted, has)
			}
			return
		}
		interrupted++
		if diff := cmp.Diff(had, has); diff != "" || !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d: %v, changed (-before +after):\n%s", n, err, diff)
		}
	}
}

// TestLooksAtContext counts how often a run checks for interrupts: at least once for each file, in
// one folder or in folders of their own, while it compares and while it writes.
func TestLooksAtContext(t *testing.T) {
	const n, many = 100, int64(1 << 40)
	for _, pattern := range []string{"a/f%d.go", "f%d/a.go"} {
		dir := t.TempDir()
		var files []output.File
		for i := range n {
			files = append(files, goFile(fmt.Sprintf(pattern, i), "package a"))
		}
		looks := func(do func(context.Context) error) int64 {
			ctx := &endsAfter{Context: t.Context()}
			ctx.left.Store(many)
			if err := do(ctx); err != nil {
				t.Fatal(err)
			}
			return many - ctx.left.Load()
		}
		var changes *output.Changes
		compared := looks(func(ctx context.Context) (err error) {
			changes, err = output.Compare(ctx, output.Run{Dir: dir, Files: files})
			return err
		})
		applied := looks(func(ctx context.Context) error { return changes.Apply(ctx) })
		if compared < n || applied < n {
			t.Errorf("%s: %d looks to compare, and %d to write %d files", pattern, compared, applied, n)
		}
	}
}

// TestApplyInNewFolder checks that no folder remains if nothing is written.
func TestApplyInNewFolder(t *testing.T) {
	api := filepath.Join(t.TempDir(), "api")
	changes := mustCompare(t, output.Run{Dir: api, Files: []output.File{goFile("a/a.go", "package a")}})
	ctx := &endsAfter{Context: t.Context()}
	ctx.left.Store(2)
	if err := changes.Apply(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := os.Lstat(api); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}

// TestApplyRemovesFilesOfKilledRuns checks that old hidden files are removed, and that those of a
// process that may still run are not.
func TestApplyRemovesFilesOfKilledRuns(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{".strata-aaaaaaaaaaaaaaaaaaaaaaaaaa/a/a.go", ".strata-bbbbbbbbbbbbbbbbbbbbbbbbbb/a/a.go", ".strata.yaml/a.go", ".strata-cache/a.go", ".strata-cccccccccccccccccccccccccc"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		edit(t, path, []byte("package a"))
	}
	for _, name := range []string{".strata-aaaaaaaaaaaaaaaaaaaaaaaaaa", ".strata.yaml", ".strata-cache", ".strata-cccccccccccccccccccccccccc"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	mustApply(t, mustCompare(t, output.Run{Dir: dir, Files: []output.File{goFile("a/a.go", "package a")}}))
	for name, want := range map[string]bool{".strata-aaaaaaaaaaaaaaaaaaaaaaaaaa": false, ".strata-bbbbbbbbbbbbbbbbbbbbbbbbbb": true, ".strata.yaml": true, ".strata-cache/a.go": true, ".strata-cccccccccccccccccccccccccc": true, "a/a.go": true} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}

// TestPut checks that all files of a new project are written, or none: after an interrupt, and if a
// folder has the name of a file.
func TestPut(t *testing.T) {
	files := []output.File{{Path: "strata.yaml", Body: []byte("x")}, {Path: "cmd/webhook/main.go", Body: []byte("y")}}
	dir := filepath.Join(t.TempDir(), "new")
	ctx := &endsAfter{Context: t.Context()}
	ctx.left.Store(3)
	if err := output.Put(ctx, dir, files); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "strata.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := output.Put(t.Context(), dir, files); err == nil || len(snapshot(t, dir)) != 1 {
		t.Errorf("got %v, %q", err, snapshot(t, dir))
	}
	if err := os.Remove(filepath.Join(dir, "strata.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := output.Put(t.Context(), dir, files); err != nil || len(snapshot(t, dir)) != 2 {
		t.Errorf("got %v, %q", err, snapshot(t, dir))
	}
	for _, mode := range []os.FileMode{0o600, 0o755} {
		name := filepath.Join(dir, "strata.yaml")
		if err := errors.Join(os.Chmod(name, mode), output.Put(t.Context(), dir, files)); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("a file of mode %v gets %v, %v", mode, info.Mode(), err)
		}
	}
}

// TestApplyWritesIndexOfLedgerLast checks that an index never lists missing files, and that
// code is written only after its ledger entries.
func TestApplyWritesIndexOfLedgerLast(t *testing.T) {
	dir := t.TempDir()
	changes := mustCompare(t, output.Run{Dir: dir, Files: []output.File{
		{Path: "ledger/zoo/ape.txt"}, {Path: "ledger/index.json"}, goFile("zoo/ape.go", "package zoo"),
	}})
	if err := os.MkdirAll(filepath.Join(dir, "ledger/zoo/ape.txt"), 0o755); err != nil { // a folder with the file's name
		t.Fatal(err)
	}
	if err := changes.Apply(t.Context()); err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"ledger/index.json", "zoo/ape.go"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was written before the entry of the ledger", name)
		}
	}
}

// TestApplyDoesNotFollowLinksOut checks that a link below the output folder to another folder is
// refused, and that nothing is written or removed there.
func TestApplyDoesNotFollowLinksOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links: on this system they need rights")
	}
	dir := t.TempDir()
	api, elsewhere := filepath.Join(dir, "api"), filepath.Join(dir, "elsewhere")
	for _, d := range []string{api, elsewhere} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	edit(t, filepath.Join(elsewhere, "old.go"), goFile("", "package old").Body)
	if err := os.Symlink("../elsewhere", filepath.Join(api, "crm")); err != nil {
		t.Fatal(err)
	}
	previous := &output.Manifest{Files: []output.FileSum{{Path: "crm/old.go"}}}
	for _, run := range []output.Run{
		{Dir: api, Files: []output.File{goFile("crm/a.go", "package crm")}},
		{Dir: api, Previous: previous},
	} {
		if err := mustCompare(t, run).Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "escapes") {
			t.Errorf("got %v", err)
		}
	}
	if got := snapshot(t, elsewhere); len(got) != 1 {
		t.Errorf("elsewhere changed: %q", got)
	}
}

func TestCompareRefusesPaths(t *testing.T) {
	for reason, names := range map[string][]string{
		"climbing":              {"../x.go"},
		"climbing on the way":   {"a/../../x.go"},
		"absolute":              {"/x.go"},
		"empty":                 {""},
		"the folder itself":     {"."},
		"a backslash":           {`a\b.go`},
		"a drive":               {"c:x.go"},
		"twice":                 {"a.go", "a.go"},
		"twice but for a case":  {"A/a.go", "a/a.go"},
		"an unclean path":       {"a//b.go"},
		"a wildcard as in DOS":  {"a*.go"},
		"a zero byte":           {"a\x00.go"},
		"a slash at the end":    {"a/"},
		"a dot in between":      {"a/./b.go"},
		"letters beyond A to Z": {"Ä.go", "ä.go"},
	} {
		var files []output.File
		for _, name := range names {
			files = append(files, output.File{Path: name})
		}
		if _, err := output.Compare(t.Context(), output.Run{Dir: t.TempDir(), Files: files}); err == nil {
			t.Errorf("%s: %q is accepted", reason, names)
		}
	}
}

// TestCompareIsDeterministic checks that the order of files does not affect the changes, including
// the bytes of the manifest.
func TestCompareIsDeterministic(t *testing.T) {
	var files []output.File
	for i := range 200 {
		files = append(files, goFile(fmt.Sprintf("g%d/f%d.go", i%7, i), "package g"))
	}
	dir := t.TempDir()
	print := func() string {
		changes := mustCompare(t, output.Run{Dir: dir, Files: files})
		body, err := changes.Manifest.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(changes.List, changes.Outputs, string(body))
	}
	first := print()
	for i := range files {
		files[i], files[(i*37)%len(files)] = files[(i*37)%len(files)], files[i]
	}
	if diff := cmp.Diff(first, print()); diff != "" {
		t.Error(diff)
	}
}

// TestPutStaysInItsFolder checks that a path that leads out of the folder is refused, and that no
// other file changes.
func TestPutStaysInItsFolder(t *testing.T) {
	for _, path := range []string{"../cmd/main.go", "../main.go", "../../main.go", "/main.go", ".", "cmd/../main.go"} {
		dir := filepath.Join(t.TempDir(), "a", "b")
		edit(t, filepath.Join(dir, "cmd/main.go"), []byte("the user's"))
		edit(t, filepath.Join(dir, "main.go"), []byte("the user's"))
		before := snapshot(t, dir)
		err := output.Put(t.Context(), dir, []output.File{{Path: path, Body: []byte("x")}, {Path: "strata.yaml", Body: []byte("y")}})
		if diff := cmp.Diff(before, snapshot(t, dir)); err == nil || diff != "" {
			t.Errorf("%s: %v, changed (-before +after):\n%s", path, err, diff)
		}
	}
}

// TestApplyChecksPathsBeforeRemovals checks that a link that leads out of the folder is found
// before anything changes.
func TestApplyChecksPathsBeforeRemovals(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	first := mustCompare(t, output.Run{Dir: dir, Files: []output.File{goFile("a/stale.go", "package a"), goFile("a/a.go", "package a")}})
	mustApply(t, first)
	before := snapshot(t, dir)
	if err := os.Symlink(elsewhere, filepath.Join(dir, "b")); err != nil {
		t.Skip("needs symbolic links: ", err)
	}
	changes := mustCompare(t, output.Run{Dir: dir, Previous: first.Manifest, Files: []output.File{
		goFile("a/a.go", "package a // 2"), goFile("b/b.go", "package b"), {Path: "ledger/zoo/ape.txt", Body: []byte("1")},
	}})
	if err := changes.Apply(t.Context()); err == nil {
		t.Error("no error")
	}
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("changed (-before +after):\n%s", diff)
	}
}

// TestAwaitRenames checks that it waits until all files have their names, once one has.
func TestAwaitRenames(t *testing.T) {
	files := func(text string) (out []output.File) {
		for i := range 3000 {
			out = append(out, goFile(fmt.Sprintf("p/f%04d.go", i), text))
		}
		return out
	}
	dir := t.TempDir()
	first := mustCompare(t, output.Run{Dir: dir, Files: files("package a // 1")})
	mustApply(t, first)
	changes := mustCompare(t, output.Run{Dir: dir, Files: files("package a // 2"), Previous: first.Manifest})
	isNew := func(name string) bool {
		body, err := os.ReadFile(filepath.Join(dir, name))
		return err == nil && bytes.Contains(body, []byte("// 2"))
	}
	applied := make(chan error, 1)
	go func() { applied <- changes.Apply(t.Context()) }()
	for !isNew("p/f0000.go") {
		time.Sleep(time.Millisecond)
	}
	waited := output.AwaitRenames()
	if !isNew("p/f2999.go") {
		t.Errorf("waited %v, and not all files are new", waited)
	}
	if err := <-applied; err != nil {
		t.Error(err)
	}
}
