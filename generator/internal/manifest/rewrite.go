package manifest

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// Origin returns the path in the old value of what is at a path in the new one. It returns false
// for what the old value lacks. Paths have the names of members and the indices of list elements.
type Origin func(path []string) ([]string, bool)

// Rewrite returns what replaces the bytes from start to end of a text, so that it has another value
// in place of root. All bytes before and behind stay.
func Rewrite(text string, root, value *syntax.Value, origin Origin) (start, end int, made string) {
	e := &editor{text: text, root: root, origin: origin, ends: map[*syntax.Value]int{}}
	start = e.rootStart()
	return start, e.end(root, -1), e.slot(root, start, value, nil, nil, e.indentAt(start))
}

// rootStart returns where the slot of the root begins: with its first key or dash.
func (e *editor) rootStart() int {
	start := e.start(e.root)
	if e.root.Kind() == syntax.Object && !e.isFlow(e.root) {
		if all := e.entries(e.root, start); len(all) > 0 {
			return all[0].key
		}
	}
	return start
}

// editor makes the text of the new value from pieces of the old text. Methods that return the text
// of a value return it for its slot: from behind the colon or dash before it up to its end.
type editor struct {
	text   string
	root   *syntax.Value
	origin Origin
	ends   map[*syntax.Value]int
	// homeless are comments of values that were written anew. They go above the member that has
	// them.
	homeless []string
	// braces counts the braces and brackets around the value.
	braces int
}

// slot returns the text of a new value, for the slot of an old one that begins at start. Path is
// the path of the new value, and was that of the old one. Indent is the indentation of the line
// with the value's key or dash.
func (e *editor) slot(old *syntax.Value, start int, value *syntax.Value, path, was []string, indent string) string {
	end := max(start, e.end(old, len(indent)))
	isFlow := !old.IsBehind() && e.isFlow(old)
	if isFlow {
		e.braces++
		defer func() { e.braces-- }()
	}
	switch {
	case isSame(old, value):
		return e.text[start:end]
	case old.IsBehind():
	case old.Kind() == syntax.Object && value.Kind() == syntax.Object && len(old.All()) > 0:
		if isFlow {
			return e.flow(old, start, end, value, path, was)
		}
		return e.block(old, start, value, path, was)
	case old.Kind() == syntax.List && value.Kind() == syntax.List && len(old.All()) == len(value.All()):
		return e.elements(old, start, end, value, path, was)
	case isScalar(old) && isScalar(value):
		at := e.start(old)
		if at == end { // the old value is empty
			return " " + scalar(value, 0) + e.text[start:end]
		}
		if e.text[at] == '|' && value.Kind() == syntax.String {
			return e.text[start:at] + e.literal(at, value.Text())
		}
		return e.text[start:at] + scalar(value, e.text[at])
	}
	e.homeless = append(e.homeless, e.comments(old, start, end)...)
	switch {
	case e.isJSON() || e.braces > 1 || e.braces == 1 && !(isFlow && isScalar(value)):
		return e.text[start:e.tokenStart(old, start)] + flowText(value, e.isJSON())
	default:
		return e.rendered(value, indent)
	}
}

// elements returns the text of a list with as many elements as before.
func (e *editor) elements(old *syntax.Value, start, end int, value *syntax.Value, path, was []string) string {
	var out strings.Builder
	at := start
	for i, item := range old.All() {
		if item.IsBehind() {
			continue // it must not change
		}
		from := e.itemStart(item, at)
		out.WriteString(e.text[at:from])
		index := itoa(i)
		out.WriteString(e.slot(item, from, value.All()[i], with(path, index), with(was, index), e.indentAt(from)))
		at = e.end(item, e.column(from))
	}
	if at < end {
		out.WriteString(e.text[at:end])
	}
	return out.String()
}

// itemStart returns where the slot of a list element begins, behind its dash if that is on its
// line.
func (e *editor) itemStart(item *syntax.Value, least int) int {
	at := item.Offset()
	for at > least && e.text[at-1] == ' ' {
		at--
	}
	return max(at, least)
}

// piece is a member in a block mapping: the lines of comments above it, and its own lines.
type piece struct {
	entry
	free   string // lines above head, which stay if the member goes
	head   string // comments directly above the key
	indent string
	tail   string // what follows the value on its line
}

// block returns the text of a mapping in block style.
func (e *editor) block(old *syntax.Value, start int, value *syntax.Value, path, was []string) string {
	pieces, lead, isInline := e.pieces(old, start)
	newline, indent := e.newline(), strings.Repeat(" ", e.column(pieces[0].key))
	matched := e.match(old, value, path, was)
	var lines []string // each ends with a line break
	inserted := map[string]bool{}
	for _, p := range pieces {
		lines = append(lines, p.free)
		if name, kept := matched[p.value.Name()]; kept {
			lines = append(lines, e.lines(p, value.Member(name), path, was, newline))
			continue
		}
		for _, m := range value.All() { // a new member stands where the one that it replaces stood
			if from, found := e.origin(with(path, m.Name())); found && !isMatched(matched, m.Name()) && !inserted[m.Name()] && e.isAt(from, was, p.value.Name()) {
				lines, inserted[m.Name()] = append(lines, e.added(m, path, indent, newline)), true
			}
		}
	}
	for _, m := range value.All() {
		if !isMatched(matched, m.Name()) && !inserted[m.Name()] {
			lines = append(lines, e.added(m, path, indent, newline))
		}
	}
	body := strings.Join(lines, "")
	if len(value.All()) == 0 {
		return " {}" + strings.TrimRight(lead, "\r\n ")
	}
	body = strings.TrimSuffix(body, newline)
	if !isInline || indent == "" {
		return lead + body
	}
	if trimmed := strings.TrimPrefix(body, indent); trimmed != body && !strings.HasPrefix(trimmed, "#") {
		return lead + trimmed
	}
	return newline + body
}

// isAt reports whether a path leads to a member of an object, or into it.
func (e *editor) isAt(path, object []string, member string) bool {
	return len(path) > len(object) && slices.Equal(path[:len(object)], object) && path[len(object)] == member
}

// match returns the names of the new members by the names that they had in the same object.
func (e *editor) match(old, value *syntax.Value, path, was []string) map[string]string {
	matched := map[string]string{}
	for _, m := range value.All() {
		from, found := e.origin(with(path, m.Name()))
		if found && len(from) == len(was)+1 && slices.Equal(from[:len(was)], was) && old.Member(from[len(was)]) != nil {
			if _, again := matched[from[len(was)]]; !again {
				matched[from[len(was)]] = m.Name()
			}
		}
	}
	return matched
}

func isMatched(matched map[string]string, name string) bool {
	for _, to := range matched {
		if to == name {
			return true
		}
	}
	return false
}

// lines returns the lines of a member with a new value, and the comments above it.
func (e *editor) lines(p piece, value *syntax.Value, path, was []string, newline string) string {
	name := p.value.Name()
	key := e.text[p.key:p.keyEnd]
	if value.Name() != name {
		key = keyText(value.Name(), key)
	}
	before := len(e.homeless)
	made := e.slot(p.value, p.slot, value, with(path, value.Name()), with(was, name), p.indent)
	head := p.head
	for _, comment := range e.homeless[before:] {
		head += p.indent + comment + newline
	}
	e.homeless = e.homeless[:before]
	return head + p.indent + key + e.text[p.keyEnd:p.slot] + made + p.tail + newline
}

// pieces cuts a block mapping into its members. Lead is what precedes the lines of the first one,
// and isInline reports that the first key follows lead on the same line.
func (e *editor) pieces(old *syntax.Value, start int) (pieces []piece, lead string, isInline bool) {
	all := e.entries(old, start)
	at := start
	for i, entry := range all {
		p := piece{entry: entry, indent: strings.Repeat(" ", e.column(entry.key))}
		gap := e.text[at:entry.key]
		line := strings.IndexByte(gap, '\n') + 1
		if i == 0 {
			lead, isInline = gap[:line], line == 0
		} else {
			pieces[i-1].tail = strings.TrimRight(gap[:line], "\r\n")
		}
		if isInline && i == 0 {
			lead = gap
		} else {
			p.free, p.head = split(gap[line:])
		}
		pieces = append(pieces, p)
		at = entry.end
	}
	last := &pieces[len(pieces)-1]
	last.tail = e.text[last.end:e.lineEnd(last.end)]
	return pieces, lead, isInline
}

// split cuts the lines above a key: the comments directly above it, and all before these. The last
// line has the key, and is left out.
func split(gap string) (free, head string) {
	at := strings.LastIndexByte(gap, '\n') + 1
	end := at
	for at > 0 {
		line := strings.LastIndexByte(gap[:at-1], '\n') + 1
		if !strings.HasPrefix(strings.TrimLeft(gap[line:at], " \t"), "#") {
			break
		}
		at = line
	}
	return gap[:at], gap[at:end]
}

// added returns the lines of a member that the object did not have. Where the value comes from
// another place, its text comes along.
func (e *editor) added(m *syntax.Value, path []string, indent, newline string) string {
	path = with(path, m.Name())
	if from, found := e.origin(path); found {
		if text, ok := e.moved(m, from, path, indent, newline); ok {
			return text
		}
	}
	if m.Kind() == syntax.Object && e.hasOrigin(m, path) {
		out := indent + keyText(m.Name(), "") + ":" + newline
		for _, inner := range m.All() {
			out += e.added(inner, path, indent+"  ", newline)
		}
		return out
	}
	return indent + keyText(m.Name(), "") + ":" + e.rendered(m, indent) + newline
}

// hasOrigin reports whether a part of an object comes from the old value.
func (e *editor) hasOrigin(v *syntax.Value, path []string) bool {
	return slices.ContainsFunc(v.All(), func(m *syntax.Value) bool {
		inner := with(path, m.Name())
		_, found := e.origin(inner)
		return found || m.Kind() == syntax.Object && e.hasOrigin(m, inner)
	})
}

// moved returns the lines of a member that comes from another block mapping.
func (e *editor) moved(m *syntax.Value, from, path []string, indent, newline string) (string, bool) {
	parent, start := e.find(from[:len(from)-1])
	if parent == nil || parent.Kind() != syntax.Object || parent.IsBehind() || e.isFlow(parent) {
		return "", false
	}
	pieces, _, _ := e.pieces(parent, start)
	for _, p := range pieces {
		if p.value.Name() == from[len(from)-1] {
			text := e.lines(p, m, path[:len(path)-1], from[:len(from)-1], newline)
			return indented(text, p.indent, indent), true
		}
	}
	return "", false
}

// find returns the old value at a path, and where its slot begins.
func (e *editor) find(path []string) (*syntax.Value, int) {
	v, start := e.root, e.rootStart()
	for _, name := range path {
		var next *syntax.Value
		switch v.Kind() {
		case syntax.Object:
			if v.IsBehind() {
				return nil, 0
			}
			for _, entry := range e.entries(v, start) {
				if entry.value.Name() == name {
					next, start = entry.value, entry.slot
				}
			}
		case syntax.List:
			if i := atoi(name); i >= 0 && i < len(v.All()) {
				next = v.All()[i]
				start = e.itemStart(next, start)
			}
		}
		if next == nil {
			return nil, 0
		}
		v = next
	}
	return v, start
}

// indented returns lines with another indentation.
func indented(text, from, to string) string {
	if from == to {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if rest, has := strings.CutPrefix(line, from); has {
			lines[i] = to + rest
		} else if trimmed := strings.TrimLeft(line, " "); strings.HasPrefix(trimmed, "#") {
			lines[i] = to + trimmed
		}
	}
	return strings.Join(lines, "")
}
