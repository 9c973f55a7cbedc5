package wordlint

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Rule is a kind of finding.
type Rule string

// The rules.
const (
	Words       Rule = "words"       // a word of words.txt in a comment, a string or a page
	Names       Rule = "names"       // the comment of an exported name begins with something else
	Columns     Rule = "columns"     // a line of a comment or a page is longer than 100 columns
	Identifiers Rule = "identifiers" // a name has a word of privateWords
	Generated   Rule = "generated"   // a line that Strata generates is longer than 120 columns
)

const (
	mostColumns   = 100
	mostGenerated = 120
)

// Finding is a place in the repository that breaks a rule.
type Finding struct {
	Rule Rule
	File string // below the root, with slashes
	Line int
	Text string
}

// Folder is the folder of the file, below the root.
func (f Finding) Folder() string { return path.Dir(f.File) }

// String formats the finding as compilers do.
func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Text) }

// Find reads all Go files and pages below root, and the comments of txtar archives, in the order of
// their names. In testdata it reads archives only. It omits hidden folders, files that are not
// committed, and files from elsewhere.
func Find(root string) ([]Finding, error) {
	var all []Finding
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if file != root && isLeftOut(entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		found, err := read(file, filepath.ToSlash(name))
		all = append(all, found...)
		return err
	})
	return all, err
}

func isLeftOut(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "bin" || folder == "wordlint"
}

// isInput reports whether a file is below a folder of test data.
func isInput(name string) bool { return strings.Contains("/"+name, "/testdata/") }

func read(file, name string) ([]Finding, error) {
	extension := path.Ext(name)
	if extension != ".txtar" && (isInput(name) || extension != ".go" && extension != ".md") {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("lint words: %w", err)
	}
	switch extension {
	case ".txtar":
		return inArchive(name, text), nil
	case ".md":
		return inPage(name, string(text)), nil
	}
	return inGo(name, text)
}

// tooLong finds the lines of a text that are longer than most columns. A tab is one column.
func tooLong(rule Rule, name, text string, first, most int) []Finding {
	var found []Finding
	for i, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > most {
			found = append(found, Finding{rule, name, first + i, fmt.Sprintf("%d columns, want at most %d", n, most)})
		}
	}
	return found
}
