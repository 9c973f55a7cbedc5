package manifest

import (
	"regexp"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// rendered returns the text of a value behind a colon, for a key with an indentation.
func (e *editor) rendered(v *syntax.Value, indent string) string {
	if isScalar(v) {
		return " " + scalar(v, 0)
	}
	if len(v.All()) == 0 {
		return " " + v.JSON()
	}
	var lines []string
	if v.Kind() == syntax.List {
		for _, item := range v.All() {
			lines = append(lines, indent+"-"+e.item(item, indent+"  "))
		}
	} else {
		for _, m := range v.All() {
			lines = append(lines, indent+"  "+keyText(m.Name(), "")+":"+e.rendered(m, indent+"  "))
		}
	}
	newline := e.newline()
	return newline + strings.Join(lines, newline)
}

// item returns the text of a list element behind its dash. The keys of an object are indented.
func (e *editor) item(v *syntax.Value, indent string) string {
	if v.Kind() != syntax.Object || len(v.All()) == 0 {
		return e.rendered(v, indent)
	}
	var members []string
	for _, m := range v.All() {
		members = append(members, keyText(m.Name(), "")+":"+e.rendered(m, indent))
	}
	return " " + strings.Join(members, e.newline()+indent)
}

// literal returns a text in the style of the block scalar between two offsets.
func (e *editor) literal(at int, text string) string {
	first := e.nextLine(at)
	indent := strings.Repeat(" ", len(e.indentAt(first)))
	newline := e.newline()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = indent + line
		}
	}
	return e.text[at:e.lineEnd(at)] + newline + strings.Join(lines, newline)
}

// keyText returns a key, in the quotes of another key if that has some.
func keyText(name, model string) string {
	if model != "" && (model[0] == '"' || model[0] == '\'') {
		return quoted(name, model[0])
	}
	if isPlain(name) {
		return name
	}
	return syntax.Quote(name)
}

// scalar returns the text of a scalar. A string gets the quotes of the text before, which begins
// with a byte; others are used if the string needs them.
func scalar(v *syntax.Value, before byte) string {
	if v.Kind() != syntax.String {
		return v.JSON()
	}
	switch {
	case before == '"' || before == '\'':
		return quoted(v.Text(), before)
	case isPlain(v.Text()):
		return v.Text()
	}
	return syntax.Quote(v.Text())
}

func quoted(text string, quote byte) string {
	if quote == '\'' && !strings.ContainsAny(text, "\r\n\t\x00") {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return syntax.Quote(text)
}

var (
	plainText = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./ -]*$`)
	dated     = regexp.MustCompile(`^[0-9]+-[0-9]`) // which some readers take for a date
)

// isPlain reports whether a string needs no quotes.
func isPlain(text string) bool {
	if !plainText.MatchString(text) || dated.MatchString(text) {
		return false
	}
	all, err := syntax.Parse("scalar.yaml", []byte(text), syntax.Default)
	return err == nil && len(all) == 1 && all[0].Kind() == syntax.String && all[0].Text() == text
}
