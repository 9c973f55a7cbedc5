package emit_test

import (
	"bytes"
	"go/format"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/emit"
)

// everything returns all cases, the worked example and the wide models.
func everything(t testing.TB) []sample {
	return append(cases(t), workedExample(t), wideFields(t), wideNames(t))
}

// TestFilesAreFormatted checks that gofmt would leave every file as it is.
func TestFilesAreFormatted(t *testing.T) {
	for _, s := range everything(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range s.files(1) {
				formatted(t, f)
			}
		})
	}
}

func formatted(t *testing.T, f emit.File) {
	t.Helper()
	want, err := format.Source(f.Body)
	if err != nil {
		t.Errorf("%s: %v", f.Path, err)
	} else if !bytes.Equal(want, f.Body) {
		t.Fatalf("%s is not in gofmt's form (-gofmt +got):\n%s", f.Path, cmp.Diff(string(want), string(f.Body)))
	}
}

// TestWorkersMakeNoDifference checks that files, their order and their resource versions do not
// depend on the number of goroutines.
func TestWorkersMakeNoDifference(t *testing.T) {
	for _, s := range everything(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			one, eight := s.files(1), s.files(8)
			if len(one) == 0 {
				t.Fatal("no files")
			}
			if !reflect.DeepEqual(paths(one), paths(eight)) {
				t.Fatalf("paths (-1 +8):\n%s", cmp.Diff(paths(one), paths(eight)))
			}
			for i := range one {
				if !bytes.Equal(one[i].Body, eight[i].Body) {
					t.Errorf("%s differs (-1 +8):\n%s", one[i].Path, cmp.Diff(string(one[i].Body), string(eight[i].Body)))
				}
				if len(one[i].Of) != len(eight[i].Of) {
					t.Errorf("%s speaks of %d resource versions, and of %d", one[i].Path, len(one[i].Of), len(eight[i].Of))
				}
			}
		})
	}
}

func paths(files []emit.File) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}
