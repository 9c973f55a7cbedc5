package corpus_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is how many columns a line of generated code has at most.
const widest = 120

// unbroken matches the wide lines that Go leaves no place to break.
var unbroken = regexp.MustCompile(`^\t*(` + strings.Join([]string{
	`// \S+`,                                  // a comment of one word, such as a URL
	"\\w+ +\\S+ +`.*`",                        // a field with its tag
	`\w+ +\w+ += ("([^"\\]|\\.)*"|"" \+)`,     // a constant of an enum with its text
	`\w+ += [\w.]+`,                           // an alias of a type
	`(type|func) \w+( interface \{|\()`,       // the name of an interface or a function
	`var \w+ \S+`,                             // a variable with its type
	`[\w*.]+ = \S+[({]`,                       // a variable with the function, or the type, of its value
	`(\w+:? )?(&|\(?\*)?[\w.]+(\)\.\w+|{})?,`, // a parameter, an argument or a member of a literal
}, "|") + `)$`)

// checkWidth requires that no line of generated Go code is wider than others, but for those that
// cannot be broken.
func checkWidth(t *testing.T, dir string) {
	var wide []string
	for name := range tree(t, dir).Only(func(name string) bool { return strings.HasSuffix(name, ".go") }) {
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(body))
		lines.Buffer(nil, len(body)+1)
		for lines.Scan() {
			if line := lines.Text(); len(line) > widest && utf8.RuneCountInString(line) > widest && !unbroken.MatchString(line) {
				wide = append(wide, name+": "+line)
			}
		}
	}
	if len(wide) > 0 {
		t.Errorf("%d lines are wider than %d columns:\n%s", len(wide), widest, some(wide))
	}
}
