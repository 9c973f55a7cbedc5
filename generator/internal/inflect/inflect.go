package inflect

import (
	"os"

	"github.com/gobuffalo/flect"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Plural returns the plural of a word.
func Plural(word string) string { return flect.Pluralize(word) }

// Singular returns the singular of a word.
func Singular(word string) string { return flect.Singularize(word) }

// dictionaries are the files that flect reads before main runs, each with the variable that names
// another one. flect prints to standard output that it cannot decode a file.
var dictionaries = []struct{ variable, file string }{
	{"INFLECT_PATH", "inflections.json"},
	{"ACRONYMS_PATH", "acronyms.json"},
}

// Check returns an error if flect has read a file. With it, the same sources would give other names
// of resources in another folder.
func Check() error {
	for _, d := range dictionaries {
		file, isSet := os.LookupEnv(d.variable)
		if !isSet {
			file = d.file
		}
		if _, err := os.Stat(file); err == nil {
			return diag.Errorf(diag.Pos{}, "%s may change the plurals in names of resources, since a library of strata reads it", file).
				WithHint("set the environment variable %s to nothing: the library then ignores the file", d.variable)
		}
	}
	return nil
}
