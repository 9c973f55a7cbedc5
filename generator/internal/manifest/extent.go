package manifest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// entry is a member of an object in the text.
type entry struct {
	value       *syntax.Value
	key, keyEnd int
	slot        int // behind the colon
	end         int // of the value
}

// entries returns the members of an object that stand in it, in the order of the text.
func (e *editor) entries(v *syntax.Value, start int) []entry {
	var out []entry
	isFlow := e.isFlow(v)
	for _, m := range v.All() {
		at := e.skipProperties(m.NameOffset())
		if at < start || at >= len(e.text) {
			continue // it comes from a merge key
		}
		made := entry{value: m, key: m.NameOffset(), keyEnd: e.keyEnd(at, m.Name())}
		colon := strings.IndexByte(e.text[made.keyEnd:], ':')
		if colon < 0 {
			continue
		}
		made.slot = made.keyEnd + colon + 1
		if isFlow && strings.ContainsAny(e.text[made.keyEnd:made.slot], ",}") {
			made.slot = made.keyEnd // a key alone, whose value is null
		}
		column := e.column(made.key)
		if isFlow {
			column = -1
		}
		if m.IsBehind() {
			made.end = e.aliasEnd(made.slot)
		} else {
			made.end = max(made.slot, e.end(m, column))
		}
		out = append(out, made)
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	return out
}

// keyEnd returns the end of the key that begins at at.
func (e *editor) keyEnd(at int, name string) int {
	switch e.text[at] {
	case '"', '\'':
		return e.quotedEnd(at)
	}
	return min(at+len(name), len(e.text))
}

// aliasEnd returns the end of an alias behind a colon.
func (e *editor) aliasEnd(at int) int {
	at = e.skipSpace(at)
	for at < len(e.text) && !strings.ContainsRune(" \t\r\n,]}", rune(e.text[at])) {
		at++
	}
	return at
}

// start returns where a value begins, behind its anchor and tag.
func (e *editor) start(v *syntax.Value) int { return e.skipProperties(v.Offset()) }

// tokenStart returns where the text of a value begins, with its anchor and tag.
func (e *editor) tokenStart(v *syntax.Value, least int) int {
	if v.IsBehind() {
		return e.skipSpace(least)
	}
	return max(least, v.Offset())
}

// comments returns the comments between two offsets, which a value and what is around it occupy.
func (e *editor) comments(v *syntax.Value, start, end int) []string {
	var out []string
	for _, at := range append(e.tokens(v, nil), [2]int{end, end}) {
		for start < at[0] {
			i := strings.IndexByte(e.text[start:at[0]], '#')
			if i < 0 {
				break
			}
			last := min(e.lineEnd(start+i), end)
			out = append(out, e.text[start+i:last])
			start = last
		}
		start = max(start, at[1])
	}
	return out
}

// tokens returns where the keys and scalars of a value are, in the order of the text.
func (e *editor) tokens(v *syntax.Value, out [][2]int) [][2]int {
	switch {
	case v.IsBehind():
	case v.Kind() == syntax.Object:
		for _, m := range e.entries(v, e.start(v)) {
			out = append(out, [2]int{m.key, m.keyEnd})
			if out = e.tokens(m.value, out); m.value.IsBehind() {
				out = append(out, [2]int{m.slot, m.end})
			}
		}
	case v.Kind() == syntax.List:
		for _, item := range v.All() {
			out = e.tokens(item, out)
		}
	default:
		out = append(out, [2]int{e.start(v), e.ends[v]}) // which the value around it has measured
	}
	return out
}

// skipProperties steps over anchors and tags, and over what separates them from the value.
func (e *editor) skipProperties(at int) int {
	for at < len(e.text) && (e.text[at] == '&' || e.text[at] == '!') {
		for at < len(e.text) && !strings.ContainsRune(" \t\r\n,]}", rune(e.text[at])) {
			at++
		}
		next := e.skipSpace(at)
		if next < len(e.text) && (e.text[next] == '\n' || e.text[next] == '\r' || e.text[next] == '#') {
			next = e.skipBlank(next)
		}
		at = next
	}
	return at
}

func (e *editor) skipSpace(at int) int {
	for at < len(e.text) && (e.text[at] == ' ' || e.text[at] == '\t') {
		at++
	}
	return at
}

// skipBlank steps over white space, line breaks and comments.
func (e *editor) skipBlank(at int) int {
	for at < len(e.text) {
		switch e.text[at] {
		case ' ', '\t', '\n', '\r':
			at++
		case '#':
			at = e.lineEnd(at)
		default:
			return at
		}
	}
	return at
}

// end returns the end of a value. A mapping or sequence in block style ends with its last line.
// Column is that of the key or dash before the value, or -1 within braces or brackets.
func (e *editor) end(v *syntax.Value, column int) int {
	if end, known := e.ends[v]; known {
		return end
	}
	end := e.extent(v, column)
	e.ends[v] = end
	return end
}

func (e *editor) extent(v *syntax.Value, column int) int {
	at := e.start(v)
	if at >= len(e.text) {
		return len(e.text)
	}
	isFlow := e.isFlow(v)
	last := at
	switch v.Kind() {
	case syntax.Object:
		for _, m := range e.entries(v, at) {
			last = max(last, m.end)
		}
	case syntax.List:
		for _, item := range v.All() {
			inner := -1
			if !isFlow {
				inner = e.column(at)
			}
			if !item.IsBehind() {
				last = max(last, e.end(item, inner))
			}
		}
		if n := len(v.All()); n > 0 && v.All()[n-1].IsBehind() && isFlow {
			last = e.closing(last)
		}
	default:
		return e.scalarEnd(v, at, column)
	}
	if !isFlow {
		return e.lineEnd(last)
	}
	return e.closing(max(last, at+1)) + 1
}

// closing returns the offset of the next closing bracket, behind blanks, commas and aliases.
func (e *editor) closing(at int) int {
	for at < len(e.text) {
		at = e.skipBlank(at)
		if at >= len(e.text) || e.text[at] == '}' || e.text[at] == ']' {
			break
		}
		at++
	}
	return min(at, len(e.text)-1)
}

func (e *editor) scalarEnd(v *syntax.Value, at, column int) int {
	switch c := e.text[at]; {
	case c == '"' || c == '\'':
		return e.quotedEnd(at)
	case (c == '|' || c == '>') && v.Kind() == syntax.String && column >= 0:
		return e.blockEnd(at, column)
	case v.Kind() == syntax.Null && c != '~' && c != 'n' && c != 'N':
		return at // an empty value
	}
	if column < 0 {
		return e.plainInFlow(at)
	}
	return e.plainEnd(at, column)
}

func (e *editor) quotedEnd(at int) int {
	quote := e.text[at]
	for i := at + 1; i < len(e.text); i++ {
		switch {
		case e.text[i] == '\\' && quote == '"':
			i++
		case e.text[i] == quote && quote == '\'' && i+1 < len(e.text) && e.text[i+1] == quote:
			i++
		case e.text[i] == quote:
			return i + 1
		}
	}
	return len(e.text)
}

// blockEnd returns the end of a block scalar: of the last line that is indented further than its
// key.
func (e *editor) blockEnd(at, column int) int {
	end := e.lineEnd(at)
	for line := e.nextLine(at); line < len(e.text); line = e.nextLine(line) {
		text := e.text[line:e.lineEnd(line)]
		if strings.TrimSpace(text) == "" {
			continue
		}
		if len(text)-len(strings.TrimLeft(text, " ")) <= column {
			break
		}
		end = line + len(text)
	}
	return end
}

// plainEnd returns the end of a plain scalar, which may go on in lines that are indented further
// than its key.
func (e *editor) plainEnd(at, column int) int {
	line := e.text[at:e.lineEnd(at)]
	end, more := at+len(withoutComment(line)), !strings.Contains(line, " #")
	for next := e.nextLine(at); more && next < len(e.text); next = e.nextLine(next) {
		text := e.text[next:e.lineEnd(next)]
		trimmed := strings.TrimLeft(text, " \t")
		if trimmed == "" {
			continue
		}
		if len(text)-len(trimmed) <= column || trimmed[0] == '#' {
			break
		}
		end, more = next+len(withoutComment(text)), !strings.Contains(text, " #")
	}
	return end
}

func withoutComment(line string) string {
	if i := strings.Index(line, " #"); i >= 0 {
		line = line[:i]
	}
	if i := strings.Index(line, "\t#"); i >= 0 {
		line = line[:i]
	}
	return strings.TrimRight(line, " \t\r")
}

// plainInFlow returns the end of a plain scalar within braces or brackets.
func (e *editor) plainInFlow(at int) int {
	end := at
	for i := at; i < len(e.text); i++ {
		switch c := e.text[i]; {
		case strings.ContainsRune(",]}[{", rune(c)), c == '#' && i > at && e.text[i-1] == ' ':
			return end
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			end = i + 1
		}
	}
	return end
}

func (e *editor) lineStart(at int) int { return strings.LastIndexByte(e.text[:at], '\n') + 1 }

// lineEnd returns the end of a line, before its line break.
func (e *editor) lineEnd(at int) int {
	end := len(e.text)
	if i := strings.IndexByte(e.text[at:], '\n'); i >= 0 {
		end = at + i
	}
	if end > at && e.text[end-1] == '\r' {
		end--
	}
	return end
}

func (e *editor) nextLine(at int) int {
	if i := strings.IndexByte(e.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(e.text)
}

func (e *editor) column(at int) int { return at - e.lineStart(at) }

// indentAt returns the white space at the beginning of the line.
func (e *editor) indentAt(at int) string {
	line := e.text[e.lineStart(at):]
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

// newline returns the line break of the text.
func (e *editor) newline() string {
	if i := strings.IndexByte(e.text, '\n'); i > 0 && e.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func with(path []string, name string) []string { return append(path[:len(path):len(path)], name) }

func itoa(i int) string { return strconv.Itoa(i) }

func atoi(text string) int {
	i, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return i
}
