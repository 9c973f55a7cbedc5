package output

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// digestOf returns the digest of one file, and whether it was read.
func digestOf(t *testing.T, dir, file string) (Digest, bool) {
	t.Helper()
	sums := ReadSums(dir, "inputs")
	in := Inputs{Sums: sums}
	in.AddFile("file", file)
	sum, err := in.Digest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := sums.Write(); err != nil {
		t.Fatal(err)
	}
	return sum, sums.read > 0
}

// cached sets a cache folder, and the age from which on states are trusted.
func cached(t *testing.T, age time.Duration) (dir, file string) {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("needs states of files: the system has none")
	}
	before := youngest
	youngest = age
	t.Cleanup(func() { youngest = before })
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	dir = t.TempDir()
	file = filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

const tick = 30 * time.Millisecond

// TestSumsNoticeChanges changes a file after its digest was recorded, also in ways that preserve
// its size and the time of its data.
func TestSumsNoticeChanges(t *testing.T) {
	for name, change := range map[string]func(file string, before os.FileInfo) error{
		"same size": func(file string, _ os.FileInfo) error { return os.WriteFile(file, []byte("two"), 0o644) },
		"same size and time": func(file string, before os.FileInfo) error {
			if err := os.WriteFile(file, []byte("two"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(file, before.ModTime(), before.ModTime())
		},
		"another file with its name, size and time": func(file string, before os.FileInfo) error {
			other := file + ".new"
			if err := os.WriteFile(other, []byte("two"), 0o644); err != nil {
				return err
			}
			if err := os.Chtimes(other, before.ModTime(), before.ModTime()); err != nil {
				return err
			}
			return os.Rename(other, file)
		},
		"removed": func(file string, _ os.FileInfo) error { return os.Remove(file) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, file := cached(t, 0)
			before, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(tick)
			first, read := digestOf(t, dir, file)
			if again, readAgain := digestOf(t, dir, file); again != first || !read || readAgain {
				t.Fatalf("read %t and %t, want once", read, readAgain)
			}
			if err := change(file, before); err != nil {
				t.Fatal(err)
			}
			if now, _ := digestOf(t, dir, file); now == first {
				t.Error("the change is hidden")
			}
		})
	}
}

// TestSumsOfYoungFilesAreNotStored covers files that are written again within a tick of the clock.
func TestSumsOfYoungFilesAreNotStored(t *testing.T) {
	dir, file := cached(t, time.Hour)
	digestOf(t, dir, file)
	if _, read := digestOf(t, dir, file); !read {
		t.Error("the state of a young file is trusted")
	}
}

func TestDamagedSumsAreIgnored(t *testing.T) {
	dir, file := cached(t, 0)
	time.Sleep(tick)
	first, _ := digestOf(t, dir, file)
	name, err := cacheFile(dir, ".inputs")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) {
		if err := os.WriteFile(name, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		sums := ReadSums(dir, "inputs")
		in := Inputs{Sums: sums}
		in.AddFile("file", file)
		if sum, err := in.Digest(t.Context()); err != nil || sum != first || sums.read != 1 {
			t.Fatalf("cut at %d: %v, %v, %d files were read", cut, sum, err, sums.read)
		}
	}
}

// TestOutlineIsThatOfManifest compares the outline with the manifest for rows in any form.
func TestOutlineIsThatOfManifest(t *testing.T) {
	row := func(group, kind, version, path string) (Resource, FileSum) {
		return Resource{
			Source: Source{Kind: "arm", Type: "A/b", Version: version, File: "f"}, Group: group, Kind: kind, Version: version, Plural: "bs",
			Defaults: map[string]string{"group": `{"group":"no"}`},
		}, FileSum{Path: path, SHA256: Digest{1, 2}}
	}
	for name, names := range map[string][3]string{
		"plain": {"a.example.com", "Kind", "a/b.go"}, "escaped group": {`a"b`, "Kind", "a/b.go"}, "escaped kind": {"a", `K\`, "a/b.go"},
		"path with an accent": {"a", "Kind", "a/é.go"}, "empty": {"", "", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			r, f := row(names[0], names[1], "v1", names[2])
			for _, m := range []*Manifest{
				{Version: ManifestVersion},
				{Version: ManifestVersion, Resources: []Resource{r}, Files: []FileSum{f}},
				{Version: ManifestVersion, Resources: []Resource{r, r}, Files: []FileSum{f, {Path: "z", SHA256: Digest{3}}}, Omitted: []Omitted{{Reason: "x,\n"}}},
			} {
				body, err := m.Marshal()
				if err != nil {
					t.Fatal(err)
				}
				out, ok := outline(body)
				if !ok {
					if name == "plain" || name == "path with an accent" {
						t.Errorf("no outline of\n%s", body)
					}
					continue
				}
				want, err := ParseManifest("m", body)
				if err != nil {
					t.Fatal(err)
				}
				if len(out.Resources) != len(want.Resources) || len(out.Files) != len(want.Files) || len(out.Omitted) != len(want.Omitted) {
					t.Fatalf("%d, %d, %d rows", len(out.Resources), len(out.Files), len(out.Omitted))
				}
				for i, r := range want.Resources {
					if o := out.Resources[i]; o.Group != r.Group || o.Kind != r.Kind || o.Version != r.Version {
						t.Errorf("row %+v, want %+v", o, r)
					}
				}
				for i, f := range want.Files {
					if out.Files[i] != f {
						t.Errorf("file %v, want %v", out.Files[i], f)
					}
				}
				for cut := range len(body) {
					if _, ok := outline(body[:cut]); ok {
						t.Errorf("outline of the first %d bytes", cut)
					}
				}
			}
		})
	}
}
