package golang

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	page  = "../../../../docs/guide/reference/go-markers.md"
	begin = "<!-- our markers -->\n"
	end   = "<!-- /our markers -->\n"
)

// TestReference compares the page of markers with the registry. The flag -update rewrites its
// table.
func TestReference(t *testing.T) {
	if _, err := newRegistry(); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(page)
	if err != nil {
		t.Skipf("needs the repository: the page is outside of the module: %v", err)
	}
	before, rest, found := strings.Cut(string(body), begin)
	got, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("the page has no table")
	}
	want := table()
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the page differs from the registry (-registry +page):\n%s", diff)
	}
	for _, d := range definitions {
		required, optional := d.arguments()
		for _, argument := range append(required, optional...) {
			if !strings.Contains(after, "`"+argument+"`") {
				t.Errorf("the page does not explain %s of %s", argument, d.name)
			}
		}
	}
}

// table returns the part of the page that the registry determines.
func table() string {
	var out strings.Builder
	out.WriteString("| marker | position | required | optional | |\n| --- | --- | --- | --- | --- |\n")
	for _, d := range definitions {
		required, optional := d.arguments()
		out.WriteString("| `+" + d.name + "` | " + d.subject() + " | " + words(required) + " | " + words(optional) + " | " + d.doc + " |\n")
	}
	return out.String()
}

func words(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
