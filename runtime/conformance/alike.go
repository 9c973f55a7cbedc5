package conformance

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// elements has the elements of a list before and after an edit.
type elements struct {
	n             *list
	keys          []string // the members that identify elements, if the schema names any
	before, after *sliceHeader
	order         []int // the former index of each element after the edit; -1 for a new one
	touched       int   // the index of the element that was edited within; away for none
	was, are      []look
}

// look is the visible value of an element, which distinguishes it from others. It leaves out
// null, empty and zero values.
type look struct {
	text    string
	members map[string]member
}

// member is a member of an element: its text, and whether it has a scalar other than null.
type member struct {
	text      string
	hasValues bool
}

func (e *elements) look() {
	if e.was == nil {
		e.was, e.are = e.looks(e.before), e.looks(e.after)
	}
}

func (e *elements) looks(header *sliceHeader) []look {
	looks := make([]look, header.len)
	for i := range looks {
		looks[i] = newLook(e.n.slab.of, e.n.at(header, i))
	}
	return looks
}

func newLook(of reflect.Type, p unsafe.Pointer) look {
	data, err := newEncoder().encode(at(of, p))
	if err != nil {
		return look{text: err.Error()}
	}
	value := telling(viewOf(of), readValue(data))
	l := look{text: jsonText(value), members: map[string]member{}}
	object, _ := value.(map[string]any)
	for name, value := range object {
		l.members[name] = member{jsonText(value), hasValues(value)}
	}
	return l
}

// hasValues reports whether a value has a scalar other than null, at any depth. An edited element
// is recognized by such a scalar that has not changed.
func hasValues(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasValues)
	case []any:
		return slices.ContainsFunc(v, hasValues)
	}
	return value != nil
}

// telling returns the part of a value that distinguishes it from others. It leaves out null,
// empty and zero values, and presets; it returns nil if nothing remains.
func telling(s *view, value any) any {
	switch v := value.(type) {
	case map[string]any:
		return tellingMembers(s, v)
	case []any:
		elements := make([]any, len(v))
		for i := range v {
			elements[i] = telling(s.within(), v[i])
		}
		if len(elements) == 0 {
			return nil
		}
		return elements
	case json.Number:
		if text := numberText(v); text != "0" {
			return json.Number(text)
		}
		return nil
	default:
		if v == "" || v == false {
			return nil
		}
		return v
	}
}

func tellingMembers(s *view, object map[string]any) any {
	members := map[string]any{}
	for name, member := range object {
		m := s.member(name)
		rest := telling(m.view, member)
		switch {
		case m.assumes && sameValue(member, m.assumed):
			continue
		case m.assumes && rest == nil:
			rest = "nothing"
		}
		if rest != nil && !m.bag {
			members[name] = rest
		}
	}
	if len(members) == 0 {
		return nil
	}
	return members
}

// alike returns the elements before the edit that look like element i, or like its former state.
func (e *elements) alike(i int) []int {
	e.look()
	var alike []int
	for k := range e.was {
		if e.was[k].text == e.are[i].text || e.order[i] >= 0 && e.was[k].text == e.was[e.order[i]].text {
			alike = append(alike, k)
		}
	}
	return alike
}

// mayBeBare reports whether element i may have lost its hidden values: the edit made it
// unrecognizable, or other elements look the same.
func (e *elements) mayBeBare(i int) bool {
	e.look()
	if count(e.was, e.are[i]) > 1 || count(e.are, e.are[i]) > 1 {
		return true
	}
	was := e.order[i]
	if was < 0 {
		return false
	}
	if count(e.was, e.was[was]) > 1 || count(e.are, e.was[was]) > 0 && i == e.touched {
		return true
	}
	return i == e.touched && !e.isRecognized(e.was[was], e.are[i])
}

func count(looks []look, of look) int {
	n := 0
	for _, l := range looks {
		if l.text == of.text {
			n++
		}
	}
	return n
}

// isRecognized reports whether an edited element must be recognized. Its keys, name or id
// identify it, or a member has not changed.
func (e *elements) isRecognized(was, is look) bool {
	for _, keys := range [][]string{e.keys, {"name"}, {"id"}} {
		if was.values(keys) != is.values(keys) {
			return false
		}
		if e.areKeys(keys) {
			return true
		}
	}
	for name, m := range was.members {
		if is.members[name] == m && m.hasValues {
			return true
		}
	}
	return false
}

// values returns the values of some members as one text.
func (l look) values(names []string) string {
	var values []string
	for _, name := range names {
		values = append(values, l.members[name].text)
	}
	return strings.Join(values, ",")
}

// areKeys reports whether all elements have some members, with distinct values.
func (e *elements) areKeys(names []string) bool {
	for _, looks := range [][]look{e.was, e.are} {
		var seen []string
		for _, l := range looks {
			has := func(name string) bool { _, found := l.members[name]; return found }
			text := l.values(names)
			if !allOf(names, has) || slices.Contains(seen, text) {
				return false
			}
			seen = append(seen, text)
		}
	}
	return len(names) > 0
}

func allOf(names []string, is func(string) bool) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !is(name) })
}
