package output

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// stampAt writes a file of a folder with a size and an age.
func stampAt(t *testing.T, folder, name string, size int, now time.Time, age time.Duration) {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(strings.Repeat("x", size)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, now.Add(-age), now.Add(-age)); err != nil {
		t.Fatal(err)
	}
}

func stampCalled(n int) string { return fmt.Sprintf("%064x.json", n) }

func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(strings.TrimLeft(e.Name(), "0"), ".json"))
	}
	return strings.Join(out, " ")
}

func TestPrune(t *testing.T) {
	const all = 100
	now := time.Now()
	for _, tt := range []struct {
		reason string
		bounds bounds
		kept   int
		want   string
	}{
		{"within all bounds all stay", bounds{all, 1000, all * time.Hour}, 1, "1 2 3 4 5"},
		{"the newest of a number stay", bounds{3, 1000, all * time.Hour}, 1, "1 2 3"},
		{"so do the newest that have room", bounds{all, 35, all * time.Hour}, 1, "1 2 3"},
		{"and those that are young", bounds{all, 1000, 4 * time.Hour}, 1, "1 2 3"},
		{"what was written now stays, as old as it looks", bounds{2, 1000, all * time.Hour}, 5, "1 5"},
		{"also if it is larger than all may be", bounds{all, 5, all * time.Hour}, 5, "5"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			folder := t.TempDir()
			for n := 1; n <= 5; n++ {
				stampAt(t, folder, stampCalled(n), 10, now, time.Duration(n)*time.Hour+time.Minute)
			}
			if err := prune(folder, stampCalled(tt.kept), now, tt.bounds); err != nil {
				t.Fatal(err)
			}
			if got := names(t, folder); got != tt.want {
				t.Errorf("left are %s, want %s", got, tt.want)
			}
		})
	}
}

// TestPruneLeavesOthersAlone checks that other files and folders stay, and so do files that a run
// may be writing. Remains of killed runs do not.
func TestPruneLeavesOthersAlone(t *testing.T) {
	folder, now := t.TempDir(), time.Now()
	stampAt(t, folder, "notes.json", 10, now, 1000*time.Hour)
	stampAt(t, folder, "."+stampCalled(1)+".strata-"+token, 10, now, time.Minute)
	stampAt(t, folder, "."+stampCalled(2)+".strata-"+token, 10, now, 2*time.Hour)
	if err := os.Mkdir(filepath.Join(folder, stampCalled(3)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := prune(folder, "", now, bounds{}); err != nil {
		t.Fatal(err)
	}
	want := "." + stampCalled(1) + ".strata-" + token + " 3 notes"
	if got := names(t, folder); got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
}

// TestPruneBesideRuns checks that runs that write, read and prune concurrently do not disturb each
// other. None fails, each reads complete stamps, and in the end the folder is within its bounds.
func TestPruneBesideRuns(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	was := usual
	usual.stamps = 6
	defer func() { usual = was }()
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			dir := filepath.Join(cache, fmt.Sprint("project", n))
			for i := range 20 {
				s := &Stamp{Inputs: Digest{byte(i)}, Outputs: []FileSum{{Path: fmt.Sprint("a", i, ".go")}}}
				if err := s.Write(dir); err != nil {
					t.Error(err)
				}
				if got := ReadStamp(dir); got != nil && (got.Inputs != s.Inputs || len(got.Outputs) != 1) {
					t.Errorf("read %+v, wrote %+v", got, s)
				}
			}
		})
	}
	all.Wait()
	if entries, err := os.ReadDir(filepath.Join(cache, "strata")); err != nil || len(entries) > usual.stamps || len(entries) == 0 {
		t.Errorf("%d stamps, %v", len(entries), err)
	}
}

// TestUsualBounds checks the bounds of the folder of users. They are documented, and other tests
// set their own.
func TestUsualBounds(t *testing.T) {
	want := bounds{stamps: 600, bytes: 268_435_456, age: 2160 * time.Hour}
	if usual != want {
		t.Errorf("the usual bounds are %+v, want %+v", usual, want)
	}
}
