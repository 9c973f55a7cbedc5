package protobuf

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func folder(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(archive)), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSums(t *testing.T) {
	got, err := sums(folder(t, "-- proto/a.proto --\na\n-- proto/buf.gen.yaml --\nb\n-- a/a.pb.go --\nc\n-- a/a.go --\nd\n"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(got) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if len(sum) != 64 {
			t.Errorf("%q is no sum", sum)
		}
		names = append(names, name)
	}
	if want := "a/a.pb.go proto/a.proto proto/buf.gen.yaml"; strings.Join(names, " ") != want {
		t.Errorf("summed %v, want %s", names, want)
	}
}

func TestCompare(t *testing.T) {
	const base = "-- a/a.pb.go --\na\n"
	tests := []struct{ reason, fresh, committed, want string }{
		{"the same", base, base + "-- a/a.go --\nby hand\n", ""},
		{"an edited file", base, "-- a/a.pb.go --\nb\n", "a/a.pb.go is not what its files give"},
		{"a missing file", base, "", "a/a.pb.go is not what its files give"},
		{"a file too many", base, base + "-- b/b.pb.go --\nb\n", "b/b.pb.go is generated from no file"},
	}
	for _, test := range tests {
		err := compare(folder(t, test.fresh), folder(t, test.committed))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error = %v, want it to contain %q", test.reason, err, test.want)
		}
	}
}

func TestEachNeedsAFolder(t *testing.T) {
	if _, err := sums(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there has sums")
	}
}
