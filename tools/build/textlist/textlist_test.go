package textlist_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/textlist"
)

func TestLines(t *testing.T) {
	want := []string{"a\tb", "c"}
	if got := textlist.Lines("# comment\n a\tb \n\n  # another\nc"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAccepted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list.txt")
	for _, test := range []struct {
		text, wrong string
		fresh, gone []string
	}{
		{text: "a b\ttwo\nc\tone\n", fresh: []string{"x"}, gone: []string{"a", "c"}},
		{text: "b\tone\n", fresh: []string{"x"}},
		{text: "a b\n", wrong: `"a b" has no reason`},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		accepted, err := textlist.ReadAccepted(file)
		if test.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%q: error %v, want %s", test.text, err, test.wrong)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		fresh, gone := accepted.Compare([]string{"x", "b"})
		if diff := cmp.Diff([][]string{test.fresh, test.gone}, [][]string{fresh, gone}); diff != "" {
			t.Errorf("%q:\n%s", test.text, diff)
		}
	}
	if _, err := textlist.ReadAccepted(file + ".missing"); err == nil {
		t.Error("a file that does not exist was read")
	}
}
