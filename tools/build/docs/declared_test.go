package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// declaredVersions are what pages about declared versions state, in these words.
var declaredVersions = []string{
	"version that cannot represent the whole spec never replaces one that can",
	"older stable version",
	"`DeclaredVersionUsed",
}

// TestPagesAgreeOnDeclaredVersions requires the same rule in the pages of the operator and of the
// laws: the effect of a declared version that cannot represent the spec.
func TestPagesAgreeOnDeclaredVersions(t *testing.T) {
	for page, section := range map[string]string{"reconciling.md": "## In which version", "laws.md": "## The original version"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "guide", "explanation", page))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), section+"\n")
		rest, _, _ = strings.Cut(rest, "\n## ")
		rest = strings.Join(strings.Fields(rest), " ")
		for _, states := range declaredVersions {
			if !strings.Contains(rest, states) {
				t.Errorf("%s, %s does not say: %s", page, section, states)
			}
		}
	}
}
