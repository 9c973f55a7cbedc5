package manifest

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// flow returns the text of a mapping in braces.
func (e *editor) flow(old *syntax.Value, start, end int, value *syntax.Value, path, was []string) string {
	all := e.entries(old, start)
	matched := e.match(old, value, path, was)
	open := e.text[start:all[0].key]
	between := ", "
	if e.isJSON() && !strings.Contains(open, "\n") {
		between = ","
	}
	if brace := strings.LastIndexByte(open, '{'); strings.Contains(open[brace+1:], "\n") {
		between = "," + open[brace+1:]
	} else if len(all) > 1 {
		between = e.text[all[0].end:all[1].key]
	}
	var members []string
	gaps := []string{open}
	for i, entry := range all {
		name, kept := matched[entry.value.Name()]
		if kept {
			key := e.text[entry.key:entry.keyEnd]
			if name != entry.value.Name() {
				key = flowKey(name, key)
			}
			made := e.slot(entry.value, entry.slot, value.Member(name), with(path, name), with(was, entry.value.Name()), "")
			members = append(members, key+e.text[entry.keyEnd:entry.slot]+made)
			if i+1 < len(all) {
				gaps = append(gaps, e.text[entry.end:all[i+1].key])
			}
		}
	}
	model := e.text[all[0].key:all[0].keyEnd]
	for _, m := range value.All() {
		if !isMatched(matched, m.Name()) {
			members = append(members, flowKey(m.Name(), model)+": "+flowText(m, e.isJSON()))
		}
	}
	if len(members) == 0 {
		return e.text[start:strings.IndexByte(e.text[start:], '{')+start] + "{}"
	}
	var out strings.Builder
	for i, m := range members {
		if i < len(gaps) {
			out.WriteString(gaps[i])
		} else {
			out.WriteString(between)
		}
		out.WriteString(m)
	}
	out.WriteString(strings.TrimLeft(e.text[all[len(all)-1].end:end], ","))
	return out.String()
}

// flowKey returns a key in the quotes of another one.
func flowKey(name, model string) string {
	if strings.HasPrefix(model, `"`) {
		return syntax.Quote(name)
	}
	return keyText(name, model)
}

// flowText returns a value on one line.
func flowText(v *syntax.Value, isJSON bool) string {
	if isJSON {
		return v.JSON()
	}
	var parts []string
	for _, c := range v.All() {
		text := flowText(c, false)
		if v.Kind() == syntax.Object {
			text = keyText(c.Name(), "") + ": " + text
		}
		parts = append(parts, text)
	}
	switch v.Kind() {
	case syntax.Object:
		return "{" + strings.Join(parts, ", ") + "}"
	case syntax.List:
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return scalar(v, 0)
	}
}

// isFlow reports whether a value is in braces or brackets, or is a scalar within such.
func (e *editor) isFlow(v *syntax.Value) bool {
	at := e.start(v)
	return at < len(e.text) && (e.text[at] == '{' && v.Kind() == syntax.Object || e.text[at] == '[' && v.Kind() == syntax.List)
}

// isJSON reports whether the whole text is JSON.
func (e *editor) isJSON() bool { return e.isFlow(e.root) }

// isSame reports whether two values are equal, in whatever order their members are.
func isSame(a, b *syntax.Value) bool {
	if a.Kind() != b.Kind() || len(a.All()) != len(b.All()) {
		return false
	}
	switch a.Kind() {
	case syntax.Object:
		return !slices.ContainsFunc(a.All(), func(m *syntax.Value) bool {
			other := b.Member(m.Name())
			return other == nil || !isSame(m, other)
		})
	case syntax.List:
		return slices.EqualFunc(a.All(), b.All(), isSame)
	default:
		return a.JSON() == b.JSON()
	}
}

func isScalar(v *syntax.Value) bool { return v.Kind() != syntax.Object && v.Kind() != syntax.List }
