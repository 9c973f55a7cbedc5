package ledger

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
)

// withSum converts a ledger of the third format to the fourth.
func withSum(text string) string {
	e, messages := parse("order.txt", text)
	if len(messages) > 0 {
		panic(messages[0].Text)
	}
	e.Older = ""
	return string(e.text())
}

// TestSum checks that heads that no run wrote are refused: those with an additional or a missing
// line, with the versions of another head, or without a sum.
func TestSum(t *testing.T) {
	whole := withSum(text)
	sumLine := strings.SplitAfterN(whole, "\n", 3)[1]
	const edited = "the checksum is not that of the file: branches were merged, or the file was edited"
	for _, c := range []struct{ reason, text, want string }{
		{"as it was written", whole, ""},
		{"with another document of a property", strings.Replace(whole, "Where it stands.", "Where.", 1), ""},
		{"without a line", strings.Replace(whole, "hub v20200101\n", "", 1), edited},
		{"with a line that another branch has", strings.Replace(whole, "served v20210101\n", "served v20210101\nserved v20220101\n", 1), edited},
		{"with a version that another branch has", whole + strings.ReplaceAll(whole[strings.Index(whole, "  version 2022"):], "2022-01-01", "2023-01-01"), edited},
		{"without a version", whole[:strings.Index(whole, "  version 2022")], edited},
		{"with another sum", strings.Replace(whole, sumLine, "sum 0\n", 1), edited},
		{"with two sums", strings.Replace(whole, sumLine, sumLine+"sum 0\n", 1), "a second checksum: branches were merged, or the file was edited"},
		{"with no sum", strings.Replace(whole, sumLine, "", 1), `the line "sum" with the checksum of the file is missing`},
	} {
		_, messages := parse("order.txt", c.text)
		if got := texts(messages); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
		if c.want == edited && messages[0].Hint != editedHint {
			t.Errorf("%s: hint %q", c.reason, messages[0].Hint)
		}
	}
}

func texts(messages []diag.Message) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Text)
	}
	return strings.Join(all, "; ")
}

// TestMergesOfBranches merges the ledgers of two branches as git does. If both changed the head,
// the lines conflict or the resulting file is refused, because lines of two runs must not be
// combined.
func TestMergesOfBranches(t *testing.T) {
	older := strings.Replace(text, "lineage ", "key ", 1) // a head in which lines of both branches find room
	for _, c := range []struct {
		reason            string
		base, here, there string
		conflict, refused bool
	}{
		{"this release and an older one that adds a version", older, withSum(older), added(older, "2023-01-01"), false, true},
		{"this release and an older one that adds an earlier version", older, withSum(older), added(older, "2019-01-01"), false, true},
		{"this release and an older one that adds a row", older, withSum(older), strings.Replace(older, "served v20210101\n", "served v20210101\nserved v20220101\n", 1), false, true},
		{"two that add versions", withSum(older), withSum(added(older, "2023-01-01")), withSum(added(older, "2019-01-01")), true, false},
		{"two of which one adds no version", withSum(older), withSum(added(older, "2023-01-01")), withSum(strings.Replace(older, "hub v20200101\n", "", 1)), true, false},
		{"one that changes nothing but documents", withSum(older), withSum(added(older, "2023-01-01")), strings.Replace(withSum(older), "Where it stands.", "Where.", 1), false, false},
	} {
		merged, conflict := merge(t, c.base, c.here, c.there)
		if conflict != c.conflict {
			t.Errorf("%s: conflict: %t\n%s", c.reason, conflict, merged)
		}
		if _, messages := parse("order.txt", merged); len(messages) > 0 != (c.refused || c.conflict) {
			t.Errorf("%s: %v\n%s", c.reason, messages, merged)
		}
	}
}

// added returns a ledger with one more version, the first or the last.
func added(text, version string) string {
	model := strings.Index(text, "  version ")
	v := "  version " + version + "\n    spec &OrderSpec\n    def OrderSpec object\n      .size string\n"
	if version < "2020" {
		return text[:model] + v + text[model:]
	}
	return text + v
}

// merge merges two texts that began as a third one, and reports whether their lines conflict.
func merge(t *testing.T, base, here, there string) (merged string, conflict bool) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"base": base, "here": here, "there": there} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	cmd := exec.Command("git", "merge-file", "-p", "here", "base", "there")
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, failed := err.(*exec.ExitError); err != nil && (!failed || exit.ExitCode() > 100) {
		t.Fatal(err)
	}
	return string(out), err != nil
}
