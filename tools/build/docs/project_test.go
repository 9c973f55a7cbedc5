package docs

import (
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestPagesOfProject requires the pages by which a project says how it is run, each with what its
// readers look for.
func TestPagesOfProject(t *testing.T) {
	root := workspace(t).Root
	for page, wants := range map[string][]string{
		"SECURITY.md":                       {"report", "supported"},
		"CODE_OF_CONDUCT.md":                {"report"},
		"CONTRIBUTING.md":                   {"go tool mage test", "SECURITY.md"},
		"RELEASING.md":                      {"release:prepare", "release:check", "release:tag"},
		"docs/compatibility.md":             {"patch", "minor", "major", "stored", "plugin", "generated code"},
		".github/pull_request_template.md":  {"CONTRIBUTING.md", "CHANGELOG.md", "go tool mage test"},
		".github/ISSUE_TEMPLATE/bug.md":     {"strata version"},
		".github/ISSUE_TEMPLATE/request.md": {},
	} {
		text := strings.ToLower(read(t, filepath.Join(root, filepath.FromSlash(page))))
		for _, want := range wants {
			if !strings.Contains(text, strings.ToLower(want)) {
				t.Errorf("%s does not name %q", page, want)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(root, ".github", "ISSUE_TEMPLATE", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d templates of issues: %v", len(files), err)
	}
	for _, file := range files {
		_, rest, _ := strings.Cut(read(t, file), "---\n")
		head, _, found := strings.Cut(rest, "---\n")
		var of struct{ Name, About string }
		if err := yaml.Unmarshal([]byte(head), &of); err != nil || !found || of.Name == "" || of.About == "" {
			t.Errorf("%s: a code host does not offer it: %+v, %v", file, of, err)
		}
	}
}
