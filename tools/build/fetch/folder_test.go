package fetch

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// mirrored is a bench with a local folder as its mirror.
func mirrored(t *testing.T, s Source) (*bench, string) {
	b := newBench(t, s)
	b.o.Mirror = t.TempDir()
	return b, b.o.Mirror
}

func TestFolderHoldsUnpackedTree(t *testing.T) {
	b, dir := mirrored(t, example().pin("things"))
	example().write(t, filepath.Join(dir, "things"))
	b.wantRun()
	b.wantStanding("things", example().selected())
}

func TestFolderHoldsArchive(t *testing.T) {
	b, dir := mirrored(t, example().pin("things"))
	files{"github.com/example/things/" + testCommit + ".tar.gz": string(example().archive(t))}.write(t, dir)
	b.wantRun()
	b.wantStanding("things", example().selected())
	if _, err := os.Stat(filepath.Join(dir, "github.com/example/things", testCommit+".tar.gz")); err != nil {
		t.Errorf("the user's archive is gone: %v", err)
	}
}

func TestFolderIsVerifiedToo(t *testing.T) {
	b, dir := mirrored(t, example().pin("things"))
	other().write(t, filepath.Join(dir, "things"))
	b.wantError("fetch: things:")
	b.wantStanding("things", files{})
}

func TestFolderLinksAreNotFollowed(t *testing.T) {
	for _, c := range []struct {
		reason, path, to, want string
	}{
		{"a selected file is a link", "schemas/b/two.json", "../../README", "is a link"},
		{"a folder of selected files is a link", "schemas/b", "../elsewhere", "not the pinned ones: 1 files"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			b, dir := mirrored(t, example().pin("things"))
			root := filepath.Join(dir, "things")
			example().write(t, root)
			check(t, os.RemoveAll(filepath.Join(root, c.path)))
			check(t, os.Symlink(c.to, filepath.Join(root, c.path)))
			b.wantError(c.want)
			b.wantStanding("things", files{})
		})
	}
}

func TestFolderOfTooManyEntriesIsRefused(t *testing.T) {
	b, dir := mirrored(t, example().pin("things"))
	example().write(t, filepath.Join(dir, "things"))
	b.o.Limits.Files = 6 // it has 4 files in 3 folders
	b.wantError("more than 6 entries")
	b.o.Limits.Files = 7
	b.wantRun()
}

func TestMirrorIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o644))
	for _, c := range []struct {
		reason, mirror, want string
	}{
		{"plain http", "http://example.com/mirror", "is not https"},
		{"plain http to this machine", "http://127.0.0.1/mirror", "is not https"},
		{"another scheme", "ftp://example.com", "is not https"},
		{"no host", "https:///mirror", "names no host"},
		{"no URL", "https://%zz", "mirror:"},
		{"no such folder", filepath.Join(t.TempDir(), "missing"), "STRATA_MIRROR is a folder or an https URL"},
		{"a file", file, "is not a folder"},
		{"a folder without the source", t.TempDir(), "neither a folder"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			b := newBench(t, example().pin("things"))
			b.o.Mirror = c.mirror
			b.wantError("fetch: ", c.want)
		})
	}
}

func TestComputeGivesPinThatRunAccepts(t *testing.T) {
	b := newBench(t, example().pin("things")).from(serving(t, example().archive(t)))
	asked := example().pin("things")
	asked.Files, asked.Bytes, asked.SHA256 = 0, 0, ""
	got, err := Compute(context.Background(), asked, b.o)
	check(t, err)
	if got.String() != example().pin("things").String() {
		t.Errorf("got\n%swant\n%s", got, example().pin("things"))
	}
	b.wantStanding("things", files{})
	b.pins(got)
	b.wantRun()
}

func TestComputeRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Source)
		want   string
	}{
		{"a name that leads elsewhere", func(s *Source) { s.Name = "../x" }, `name "../x" is not lower-case words`},
		{"a repository with a scheme", func(s *Source) { s.Repository = "https://github.com/a/b" }, "without a scheme"},
		{"a repository that climbs", func(s *Source) { s.Repository = "github.com/../b" }, "repository"},
		{"a branch", func(s *Source) { s.Commit = "main" }, "full commit hash"},
		{"no paths", func(s *Source) { s.Paths = nil }, "no paths"},
		{"a glob that climbs", func(s *Source) { s.Paths = []string{"../*"} }, "not a plain path"},
		{"a glob that finds nothing", func(s *Source) { s.Paths = append(s.Paths, "schemes/*.json") }, `no file matches "schemes/*.json"`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			b, dir := mirrored(t, example().pin("things"))
			example().write(t, filepath.Join(dir, "things"))
			s := example().pin("things")
			c.change(&s)
			_, err := Compute(context.Background(), s, b.o)
			wantMessage(t, err, "fetch: ", c.want)
		})
	}
}
