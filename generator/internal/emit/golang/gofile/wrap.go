package gofile

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendCode appends a line of code. A line that is too wide is broken within the parentheses, or
// braces, that lastGroup finds. The list in them is on lines of its own, in gofmt's form.
//
// dense means that the line is one of several arguments of a call, where gofmt puts no space
// before a plus sign.
func appendCode(out []byte, line string, dense bool) []byte {
	if utf8.RuneCountInString(line) <= width || !isBreakable(line) {
		return append(append(out, line...), '\n')
	}
	return appendBroken(out, line, dense)
}

// isBreakable reports whether a line has no comment, and no literal that ends on another line.
// Breaking one of these would change its meaning.
func isBreakable(line string) bool {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"', '`', '\'':
			if i = skipText(line, i); i >= len(line) {
				return false
			}
		case '/':
			if rest := line[i+1:]; strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "*") {
				return false
			}
		}
	}
	return true
}

func appendBroken(out []byte, line string, dense bool) []byte {
	tabs := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
	open, end := lastGroup(line)
	if rows, ok := appendElement(out, tabs, line[len(tabs):]); ok {
		return rows
	}
	if open >= 0 && strings.HasPrefix(line[open:], "{") && hasLongText(line) && isRow(line, open) {
		return appendText(out, line, tabs, false) // a row of a table
	}
	if open < 0 {
		return appendText(out, line, tabs, dense)
	}
	out = appendCode(out, line[:open+1], dense)
	items := split(line[open+1 : end])
	within := line[open] == '(' && (dense || len(items) > 1)
	for _, r := range filled(items, width-len(tabs)-1) {
		switch line := tabs + "\t" + r.text + ","; {
		case r.isBroken:
			out = appendBroken(out, line, within)
		case r.items > 1 && utf8.RuneCountInString(line) > width: // by a long text
			out = appendText(out, line, tabs+"\t", within)
		default:
			out = appendCode(out, line, within)
		}
	}
	return appendCode(out, tabs+line[end:], dense)
}

// appendElement appends a literal without a type that lists such literals, as {{A: 1}, {B: 2}}.
// Its braces are on the first and the last line.
func appendElement(out []byte, tabs, line string) (rows []byte, ok bool) {
	text, isItem := strings.CutSuffix(line, ",")
	if !isItem || !strings.HasPrefix(text, "{{") || !strings.HasSuffix(text, "}}") {
		return nil, false
	}
	line = tabs + "{"
	for i, item := range split(text[1 : len(text)-1]) {
		if i > 0 && utf8.RuneCountInString(line)+len(", ")+utf8.RuneCountInString(item)+len("},") > width {
			out = append(append(out, line...), ",\n"...)
			line = tabs + "\t" + item
		} else if i > 0 {
			line += ", " + item
		} else {
			line += item
		}
		if utf8.RuneCountInString(line)+len("},") > width {
			return nil, false
		}
	}
	return append(append(out, line...), "},\n"...), true
}

// Fits reports whether a text is one line that is not too wide.
func Fits(line string) bool {
	return utf8.RuneCountInString(line) <= width && !strings.Contains(line, "\n")
}

// isRow reports whether a literal in a line is a row of a table, which stays one line however
// long its texts are.
func isRow(line string, open int) bool { return strings.TrimLeft(line[:open], "\t") == "" }

// leastPiece is the minimum length of a text that is broken.
const leastPiece = width / 2

// appendText appends a line with its first long text, if there is one, in pieces. Further long
// texts are broken if the line is still too wide.
func appendText(out []byte, line, tabs string, dense bool) []byte {
	plus := "\" +\n"
	if dense {
		plus = "\"+\n"
	}
	for from, to := longText(line, 0); from >= 0; from, to = longText(line, from) {
		before, text, after := line[:from], line[from:to], line[to:]
		for broken := false; len(text) > 0 && (!broken || len(before)+len(text)+len(after) > width); broken = true {
			n := whole(text, max(width-len(before)-len(`" +`), 0))
			if broken && n == 0 {
				break // the rest is too wide by itself
			}
			out = append(append(append(out, before...), text[:n]...), plus...)
			before, text = tabs+"\t\"", text[n:]
		}
		if line, from = before+text+after, len(before)+len(text)+1; len(line) <= width {
			break
		}
	}
	return append(append(out, line...), '\n')
}

// longText returns the first text of a line, from an index on, that is long enough to be broken,
// without its quotes. It returns -1 if there is none.
func longText(line string, at int) (from, to int) {
	for i := at; i < len(line); i++ {
		if line[i] != '"' && line[i] != '`' && line[i] != '\'' {
			continue
		}
		end := skipText(line, i)
		if line[i] == '"' && end-i > leastPiece {
			return i + 1, end
		}
		i = end
	}
	return -1, -1
}

// whole returns the length of the longest prefix of a quoted text that has at most the given
// length. The prefix does not split an escape or a character.
func whole(text string, most int) int {
	end := 0
	for i := 0; i < len(text) && i <= most; {
		end = i
		_, _, rest, err := strconv.UnquoteChar(text[i:], '"')
		if err != nil {
			return len(text)
		}
		i = len(text) - len(rest)
	}
	return end
}

// group is a list on a line, given by the indexes of its parentheses or braces.
type group struct{ open, end int }

var noGroup = group{-1, -1}

// lastGroup returns the list in which a line is broken. It is the last list outside of other
// parentheses or braces that is not empty. It has the arguments of a call, the parameters of a
// function, or the members of a literal. A line without one is broken in the parameters of a
// function that begins on it, or in a receiver.
func lastGroup(line string) (open, end int) {
	list, params := lists(line)
	switch {
	case list != noGroup:
	case params != noGroup:
		list = params
	case strings.HasPrefix(line, "func (") && strings.Contains(line, ")"):
		list = group{len("func "), strings.IndexByte(line, ')')}
	}
	return list.open, list.end
}

// lists returns the last list of a line outside of other parentheses or braces. params is the
// last list of a function literal's parameters within parentheses.
func lists(line string) (outer, params group) {
	outer, params = noGroup, noGroup
	var starts []int
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"', '`', '\'':
			i = skipText(line, i)
		case '(', '{', '[':
			starts = append(starts, i)
		case ')', '}', ']':
			if len(starts) == 0 { // closes a list of an earlier line
				outer = noGroup
				continue
			}
			start := starts[len(starts)-1]
			starts = starts[:len(starts)-1]
			switch {
			case i == start+1 || !isList(line, start):
			case len(starts) == 0:
				outer = group{start, i}
			case strings.HasSuffix(line[:start], "func"):
				params = group{start, i}
			}
		}
	}
	return outer, params
}

// isList reports whether a parenthesis or brace opens a list, in which a comma may end the last
// line. A function body is not a list, nor is a type in parentheses or after a dot.
func isList(line string, open int) bool {
	if open == 0 || open+1 == len(line) {
		return false
	}
	switch before := rune(line[open-1]); line[open] {
	case '(':
		return before == '_' || before >= utf8.RuneSelf || strings.ContainsRune(")]}", before) ||
			unicode.IsLetter(before) || unicode.IsDigit(before)
	case '{':
		return before != ' ' && line[open+1] != ' '
	}
	return false
}

// skipText returns the index of the end of a literal.
func skipText(line string, i int) int {
	quote := line[i]
	for i++; i < len(line) && line[i] != quote; i++ {
		if line[i] == '\\' && quote != '`' {
			i++
		}
	}
	return i
}

// split splits a list at its commas.
func split(list string) (items []string) {
	depth, from := 0, 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '"', '`', '\'':
			i = skipText(list, i)
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case ',':
			if depth == 0 {
				items = append(items, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	return append(items, strings.TrimSpace(list[from:]))
}

// filled puts as many items on a line as fit. A long text, which may be broken, does not begin a
// line.
func filled(items []string, most int) []row {
	padding := 0 // at most, of a member that begins a line
	for _, item := range items {
		padding = max(padding, len(keyOf(item)))
	}
	var lines []row
	for _, item := range items {
		last := len(lines) - 1
		if begin := strings.Index(item, "{{"); last >= 0 && begin > 0 && len(keyOf(item)) > 0 && utf8.RuneCountInString(item) >= most &&
			lines[last].width()+padding+len(", ")+begin+len("{") < most {
			lines[last] = row{text: lines[last].text + ", " + item, items: lines[last].items + 1, isBroken: true}
		} else if last >= 0 && !lines[last].isBroken && lines[last].width()+padding+len(", ")+least(item) < most {
			lines[last].items++
			lines[last].text += ", " + item
		} else {
			lines = append(lines, row{text: item, items: 1})
		}
	}
	for i := range lines {
		lines[i].isBroken = lines[i].isBroken || lines[i].items == 1 && lines[i].width()+padding >= most && canBreak(lines[i].text)
	}
	return aligned(lines)
}

// canBreak reports whether an item has a list or a long text, in which it can be broken.
func canBreak(item string) bool {
	open, _ := lastGroup(item)
	return open >= 0 || hasLongText(item)
}

// row is a line of items.
type row struct {
	text     string
	items    int
	isBroken bool // into several lines
}

func (r row) width() int { return utf8.RuneCountInString(r.text) }

// aligned aligns the values of the members at the beginning of lines, as gofmt does after lines
// of one member.
func aligned(lines []row) []row {
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && lines[to-1].items == 1 && !lines[to-1].isBroken && (!lines[to].isBroken || lines[to].items > 1) {
			to++
		}
		widest := 0
		for _, line := range lines[from:to] {
			widest = max(widest, len(keyOf(line.text)))
		}
		for i, line := range lines[from:to] {
			if key := keyOf(line.text); key != "" {
				lines[from+i].text = key + ":" + strings.Repeat(" ", widest-len(key)+1) + line.text[len(key)+len(": "):]
			}
		}
		from = to
	}
	return lines
}

// keyOf returns the key of the literal's member that an item begins with; empty for other items.
func keyOf(item string) string {
	key, _, found := strings.Cut(item, ": ")
	if !found || strings.ContainsAny(key, "\"`({[ ") {
		return ""
	}
	return key
}

// least returns the length of the part of an item that must fit on a line. For a member with a
// long text, that is the part before the text.
func least(item string) int {
	if from, _ := longText(item, 0); from >= 0 && keyOf(item) != "" {
		return from + len(`" +`)
	}
	return utf8.RuneCountInString(item)
}

func hasLongText(line string) bool {
	from, _ := longText(line, 0)
	return from >= 0
}
