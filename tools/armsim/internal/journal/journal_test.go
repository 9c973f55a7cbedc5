package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/armsim/internal/journal"
)

func reopen(t *testing.T, path string) (*journal.Journal, []string, error) {
	t.Helper()
	var got []string
	j, err := journal.Open(path, func(record json.RawMessage) error {
		got = append(got, string(record))
		return nil
	})
	if err == nil {
		t.Cleanup(func() { j.Close() })
	}
	return j, got, err
}

func filled(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "j")
	j, _, err := reopen(t, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range []string{"one", "two\n", "three"} {
		if err := j.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	return path
}

func TestRecordsComeBack(t *testing.T) {
	path := filled(t)
	j, got, err := reopen(t, path)
	if err != nil || !slices.Equal(got, []string{`"one"`, `"two\n"`, `"three"`}) {
		t.Fatalf("got %q, %v", got, err)
	}
	if info, _ := os.Stat(path); info.Size() != j.Size() {
		t.Errorf("the size is %d, and the file's %d", j.Size(), info.Size())
	}
}

// TestTornAtEveryByte ends the file at each byte, as the end of a writing process may.
func TestTornAtEveryByte(t *testing.T) {
	data, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	for end := range len(data) + 1 {
		path := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(path, data[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		j, got, err := reopen(t, path)
		want := strings.Count(string(data[:end]), "\n")
		if err != nil || len(got) != want {
			t.Fatalf("ended at byte %d: %d records of %d, %v", end, len(got), want, err)
		}
		if err := j.Append("more"); err != nil {
			t.Fatal(err)
		}
		j.Close()
		if _, got, err := reopen(t, path); err != nil || len(got) != want+1 || got[want] != `"more"` {
			t.Fatalf("appended behind byte %d: %q, %v", end, got, err)
		}
	}
}

func TestDamageIsNotPassedOver(t *testing.T) {
	path := filled(t)
	data, _ := os.ReadFile(path)
	at := strings.Index(string(data), "one")
	data[at] = 'X'
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := reopen(t, path); err == nil || !strings.Contains(err.Error(), "record 1: its checksum differs") {
		t.Errorf("got %v", err)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	path := filled(t)
	if _, _, err := reopen(t, path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := reopen(t, path); err == nil || !strings.Contains(err.Error(), "another process has it") {
		t.Errorf("opened twice: %v", err)
	}
}

func TestReplace(t *testing.T) {
	path := filled(t)
	j, _, err := reopen(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Replace(func(add func(any) error) error { return add("all") }); err != nil {
		t.Fatal(err)
	}
	if err := j.Append("next"); err != nil {
		t.Fatal(err)
	}
	j.Close()
	if _, got, err := reopen(t, path); err != nil || !slices.Equal(got, []string{`"all"`, `"next"`}) {
		t.Errorf("got %q, %v", got, err)
	}
	left, _ := filepath.Glob(path + ".new-*")
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
