package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const testCommit = "0123456789012345678901234567890123456789"

// files are the contents of a tree by path.
type files map[string]string

// example has files at several depths and one, README, that no test selects.
func example() files {
	return files{
		"README":               "read me\n",
		"schemas/a/one.json":   strings.Repeat(`{"one": 1}`, 500),
		"schemas/b/two.json":   `{"two": 2}`,
		"schemas/b/three.json": "",
	}
}

func (f files) selected() files {
	chosen := maps.Clone(f)
	maps.DeleteFunc(chosen, func(path, _ string) bool { return !strings.HasPrefix(path, "schemas/") })
	return chosen
}

// pin computes the entry of f in the file of pins, by the rule in docs/adr/0008-fetch.md.
func (f files) pin(name string) Source {
	s := Source{Name: name, Repository: "github.com/example/things", Commit: testCommit, Paths: []string{"schemas/**/*.json"}}
	listing := sha256.New()
	chosen := f.selected()
	for _, path := range slices.Sorted(maps.Keys(chosen)) {
		fmt.Fprintf(listing, "%x  %s\n", sha256.Sum256([]byte(chosen[path])), path)
		s.Bytes += int64(len(chosen[path]))
		s.Files++
	}
	s.SHA256 = fmt.Sprintf("%x", listing.Sum(nil))
	return s
}

// headers lists f as a code host does: git's comment, the top folder, then all paths.
func (f files) headers() []tar.Header {
	list := []tar.Header{
		{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": testCommit}},
		{Typeflag: tar.TypeDir, Name: "top/"},
	}
	for _, path := range slices.Sorted(maps.Keys(f)) {
		list = append(list, tar.Header{Typeflag: tar.TypeReg, Name: "top/" + path, Size: int64(len(f[path]))})
	}
	return list
}

func (f files) archive(t testing.TB, extra ...tar.Header) []byte {
	t.Helper()
	return zipped(t, f.tar(t, extra...))
}

func (f files) tar(t testing.TB, extra ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range append(f.headers(), extra...) {
		check(t, w.WriteHeader(&h))
		content, known := f[strings.TrimPrefix(h.Name, "top/")]
		if !known {
			content = strings.Repeat("x", int(h.Size))
		}
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte(content[:h.Size]))
			check(t, err)
		}
	}
	check(t, w.Close())
	return out.Bytes()
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.NoCompression) // so that a cut archive is a large part of it
	check(t, err)
	_, err = w.Write(data)
	check(t, err)
	check(t, w.Close())
	return out.Bytes()
}

func (f files) write(t testing.TB, dir string) {
	t.Helper()
	for path, content := range f {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, path), []byte(content), 0o644))
	}
}

func readTree(t testing.TB, dir string) files {
	t.Helper()
	got := files{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		got[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return got
}

// bench is a destination, a file of pins and a log of progress, for one test.
type bench struct {
	t     testing.TB
	o     Options
	mu    sync.Mutex
	lines []string
}

func newBench(t testing.TB, sources ...Source) *bench {
	dir := t.TempDir()
	b := &bench{t: t}
	b.o = Options{
		Sources: filepath.Join(dir, "sources.yaml"),
		Dest:    filepath.Join(dir, "cache"),
		Limits:  Limits{Pause: time.Millisecond, Stall: 5 * time.Second},
		Report: func(line string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.lines = append(b.lines, line)
		},
	}
	b.pins(sources...)
	return b
}

func (b *bench) pins(sources ...Source) {
	text := "apiVersion: strata.dev/v1alpha1\nkind: Sources\nsources:\n"
	for _, s := range sources {
		text += s.String()
	}
	check(b.t, os.WriteFile(b.o.Sources, []byte(text), 0o644))
}

func (b *bench) from(h *host) *bench {
	b.o.Mirror, b.o.Client = h.URL, h.Client()
	return b
}

func (b *bench) run() error { return Run(context.Background(), b.o) }

func (b *bench) wantRun() {
	b.t.Helper()
	if err := b.run(); err != nil {
		b.t.Fatal(err)
	}
}

// wantError runs, and requires every part in the message.
func (b *bench) wantError(parts ...string) {
	b.t.Helper()
	wantMessage(b.t, b.run(), parts...)
}

func wantMessage(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q\nlacks %q", err, part)
		}
	}
}

// wantStanding requires exactly these files, and no temporary file or folder besides those in
// left.
func (b *bench) wantStanding(name string, want files, left ...string) {
	b.t.Helper()
	if diff := cmp.Diff(want, readTree(b.t, filepath.Join(b.o.Dest, name))); diff != "" {
		b.t.Errorf("what stands at %s (-want +got):\n%s", name, diff)
	}
	entries, err := os.ReadDir(filepath.Join(b.o.Dest, ".work"))
	check(b.t, err)
	got := []string{}
	for _, e := range entries {
		if e.Name() != "lock" {
			got = append(got, e.Name())
		}
	}
	if diff := cmp.Diff(append([]string{}, left...), got); diff != "" {
		b.t.Errorf("what is left in .work (-want +got):\n%s", diff)
	}
}

func (b *bench) wantLines(part string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !strings.Contains(strings.Join(b.lines, "\n"), part) {
		b.t.Errorf("progress %q\nlacks %q", b.lines, part)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
