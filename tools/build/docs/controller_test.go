package docs

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPageOfControllersHasItsExample checks that the page shows the code that a test runs.
func TestPageOfControllersHasItsExample(t *testing.T) {
	root := workspace(t).Root
	page := read(t, filepath.Join(root, "docs", "guide", "howto", "write-a-controller.md"))
	code := read(t, filepath.Join(root, "operator", "api", "controller_example_test.go"))
	from, to := strings.Index(code, "// Service is"), strings.Index(code, "// echo is")
	if from < 0 || to < from {
		t.Fatal("the example has another form")
	}
	if !strings.Contains(page, strings.TrimSpace(code[from:to])) {
		t.Error("docs/guide/howto/write-a-controller.md does not have the code of operator/api/controller_example_test.go")
	}
}
