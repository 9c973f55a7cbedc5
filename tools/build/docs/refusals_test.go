package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var refusalName = regexp.MustCompile(`\w+: "([a-z_]+)"`)

// TestReasonsAreDocumented compares the reasons of refusals in the source of package convert with
// the reference of the webhook.
func TestReasonsAreDocumented(t *testing.T) {
	page, source := textOf(t, "../../../docs/guide/reference/webhook.md"), textOf(t, "../../../runtime/convert/refusal.go")
	_, table, _ := strings.Cut(page, "### Reasons of refusals\n")
	table, _, _ = strings.Cut(table, "\n## ")
	_, names, _ := strings.Cut(source, "var refusalNames = ")
	names, _, _ = strings.Cut(names, "\n}\n")
	reasons := 0
	for _, name := range refusalName.FindAllStringSubmatch(names, -1) {
		if name[1] == "converted" {
			continue
		}
		reasons++
		if strings.Count(table, "\n| `"+name[1]+"` |") != 1 {
			t.Errorf("the table does not have %s once", name[1])
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != reasons || reasons == 0 {
		t.Errorf("the table has %d rows for %d reasons", rows, reasons)
	}
}

func textOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
