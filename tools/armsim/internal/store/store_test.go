package store_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/stratakube/strata/tools/armsim/internal/store"
)

var buckets = []string{"a", "b"}

func opened(t *testing.T, path string, o store.Options) *store.Store {
	t.Helper()
	o.Buckets = buckets
	s, err := store.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// all reads a whole file, with bucket and key as one.
func all(s *store.Store) (map[string]string, error) {
	got := map[string]string{}
	for _, bucket := range buckets {
		err := s.Each(bucket, func(key string, value []byte) error {
			got[bucket+" "+key] = string(value)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return got, nil
}

// filled is the path of a closed file whose tree has branches.
func filled(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "state")
	s := opened(t, path, store.Options{})
	for i := range 40 {
		err := s.Change(func(w *store.Writer) error {
			return errors.Join(w.Put("a", fmt.Sprintf("key%d", i), strings.Repeat("x", 700)), w.Put("b", "last", i))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	return path
}

func TestChangesComeBack(t *testing.T) {
	for _, sync := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "state")
		s := opened(t, path, store.Options{Sync: sync})
		err := s.Change(func(w *store.Writer) error {
			return errors.Join(w.Put("a", "one", 1), w.Put("a", "gone", 2), w.Put("b", "one", "x\n"), w.Put("a", "one", 3), w.Delete("a", "gone"), w.Delete("a", "none"))
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		got, err := all(opened(t, path, store.Options{Sync: !sync}))
		if want := map[string]string{"a one": "3", "b one": `"x\n"`}; err != nil || !maps.Equal(got, want) {
			t.Errorf("sync %v: got %q, %v", sync, got, err)
		}
	}
}

func TestChangeIsWholeOrNot(t *testing.T) {
	s := opened(t, filled(t), store.Options{})
	before, err := all(s)
	if err != nil || len(before) != 41 {
		t.Fatalf("%d values, %v", len(before), err)
	}
	refused := errors.New("refused")
	err = s.Change(func(w *store.Writer) error {
		return errors.Join(w.Put("a", "key1", "other"), w.Delete("a", "key2"), w.Put("b", "f", func() {}), refused)
	})
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "encode b f") {
		t.Errorf("got %v", err)
	}
	if after, err := all(s); err != nil || !maps.Equal(before, after) {
		t.Errorf("half of a change was made: %v", err)
	}
	s.Close()
	if err := s.Change(func(w *store.Writer) error { return w.Put("a", "k", 1) }); err == nil {
		t.Error("a closed file takes a change")
	}
}

func TestOneAtTime(t *testing.T) {
	path := filled(t)
	s := opened(t, path, store.Options{})
	_, err := store.Open(path, store.Options{Buckets: buckets})
	if err == nil || !strings.Contains(err.Error(), path+": another process has it") {
		t.Errorf("opened twice: %v", err)
	}
	s.Close()
	opened(t, path, store.Options{})
}

// damage opens a copy of a file with a change to its bytes. It must give an error, or a file that
// can be read and changed; a panic ends the test.
func damage(t *testing.T, path string, what string, change func([]byte) []byte) (found bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(copied, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(copied, store.Options{Buckets: buckets})
	if err != nil {
		if !strings.Contains(err.Error(), "open state "+copied) {
			t.Errorf("%s: %v", what, err)
		}
		return true
	}
	defer s.Close()
	if _, err := all(s); err != nil {
		t.Errorf("%s: opened, and then: %v", what, err)
	}
	if err := s.Change(func(w *store.Writer) error { return w.Put("a", "key7", "new") }); err != nil {
		t.Errorf("%s: opened, and then: %v", what, err)
	}
	return false
}

// TestDamage damages a file as the end of a machine, or an editor, may.
func TestDamage(t *testing.T) {
	path := filled(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	page, size := os.Getpagesize(), int(info.Size())
	for _, row := range []struct {
		what   string
		change func([]byte) []byte
	}{
		{"what the simulator kept before", func([]byte) []byte { return []byte(strings.Repeat("1234abcd {}\n", 4000)) }},
		{"a short text", func([]byte) []byte { return []byte("{}") }},
		{"both first pages are gone", func(b []byte) []byte { clear(b[:2*page]); return b }},
		{"the first pages alone are there", func(b []byte) []byte { return b[:2*page] }},
		{"half of it is there", func(b []byte) []byte { return b[:size/2] }},
		{"all behind the first pages is empty", func(b []byte) []byte { clear(b[2*page:]); return b }},
	} {
		if !damage(t, path, row.what, row.change) {
			t.Errorf("%s: it was opened", row.what)
		}
	}
	found := 0
	for at := 0; at < size; at += page {
		spoil := map[string]func(b []byte) []byte{
			"is empty":  func(b []byte) []byte { clear(b[at : at+page]); return b },
			"is random": func(b []byte) []byte { fill(b[at : at+page]); return b },
			"is cut":    func(b []byte) []byte { return b[:at] },
			"has another's content": func(b []byte) []byte {
				copy(b[at:at+page], b[(at+2*page)%size:])
				return b
			},
		}
		for how, change := range spoil {
			if damage(t, path, fmt.Sprintf("page %d %s", at/page, how), change) {
				found++
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d damages were found", found)
	}
}

func fill(b []byte) {
	for i := range b {
		b[i] = byte(i*i + 7*i + 1)
	}
}

// TestDamagedFileIsLetGo opens a damaged file twice: the first time may not keep the lock.
func TestDamagedFileIsLetGo(t *testing.T) {
	path := filled(t)
	if err := os.Truncate(path, int64(3*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := store.Open(path, store.Options{Buckets: buckets}); err == nil || !strings.Contains(err.Error(), path+": it is damaged") {
			t.Errorf("got %v", err)
		}
	}
}

func TestDatabaseOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("members"))
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(path, store.Options{Buckets: buckets}); err == nil || !strings.Contains(err.Error(), `no state of a simulator: it holds "members"`) {
		t.Errorf("got %v", err)
	}
}
