package docs

import (
	"go/format"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// example matches a block of code with its indentation and language.
var example = regexp.MustCompile("(?ms)^( *)```(go|yaml)\n(.*?)^ *```")

// indented matches a line of running text that is indented as code is.
var indented = regexp.MustCompile(`(?m)^\S.*\n {5,}\S.*$`)

// TestExamplesAreWellFormed checks that a reader can paste the examples of the pages: documents of
// YAML can be read, and Go has the format of gofmt, where it is whole declarations or statements.
func TestExamplesAreWellFormed(t *testing.T) {
	w := workspace(t)
	for _, page := range pages(t, w) {
		if fault := malformed(read(t, filepath.Join(w.Root, page))); fault != "" {
			t.Errorf("%s: %s", page, fault)
		}
	}
}

// TestMalformed checks what counts as a malformed example.
func TestMalformed(t *testing.T) {
	for _, test := range []struct{ why, page, want string }{
		{"well-formed", "```yaml\na: 1\n---\nb: 2\n```\n\n```go\ntype T struct {\n\tA int\n}\n```\n", ""},
		{"in a list", "1. Save:\n\n   ```yaml\n   a:\n     b: 1\n   ```\n", ""},
		{"no whole declaration", "```go\nfunc F() { ... }\n```\n", ""},
		{"a key that is indented too far", "```yaml\na: 1\n    b: 2\n```\n", "yaml: "},
		{"Go in another format", "```go\ntype T struct {\n\t\tA int\n}\n```\n", "gofmt"},
		{"a line of text", "This is\n      indented.\n", "indented"},
	} {
		if got := malformed(test.page); !strings.Contains(got, test.want) || got != "" && test.want == "" {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

// malformed returns the fault of the first malformed example of a page.
func malformed(page string) string {
	for _, found := range example.FindAllStringSubmatch(page, -1) {
		text := strings.ReplaceAll("\n"+found[3], "\n"+found[1], "\n")[1:]
		if found[2] == "yaml" {
			if err := readAll(text); err != nil {
				return err.Error() + ":\n" + text
			}
			continue
		}
		if formatted, err := format.Source([]byte(text)); err == nil && string(formatted) != text {
			return "not the format of gofmt:\n" + text
		}
	}
	if line := indented.FindString(fences.ReplaceAllString(page, "")); line != "" {
		return "text is indented as code: " + line
	}
	return ""
}

// readAll reads the documents of a text.
func readAll(text string) error {
	for document := range strings.SplitSeq(text, "\n---\n") {
		var value any
		if err := yaml.Unmarshal([]byte(document), &value); err != nil {
			return err
		}
	}
	return nil
}
