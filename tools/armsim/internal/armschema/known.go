package armschema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Known gives what of a body the schema knows: members that it names, where their values have a
// type that it allows. The body is not changed; the result may share with it.
func (s *Schema) Known(body map[string]any) map[string]any {
	var all []*alternative
	for _, p := range s.files {
		all = append(all, p.body.alternatives...)
	}
	if known, ok := choice(all).of(body); ok {
		if m, isObject := known.(map[string]any); isObject {
			return m
		}
	}
	return map[string]any{}
}

// Names reports whether the schema knows a member at the root, or one below properties.
func (s *Schema) Names(path ...string) bool {
	var current choice
	for _, p := range s.files {
		current = append(current, p.body.alternatives...)
	}
	for _, name := range path {
		next, _ := current.member(name)
		if next == nil {
			return false
		}
		current = next
	}
	return true
}

// choice is the alternatives of one place, of which each may be the one that a value fits.
type choice []*alternative

// of returns the part of a value that the alternatives know. It returns false if none allows the
// value.
func (all choice) of(value any) (any, bool) {
	all = slices.DeleteFunc(slices.Clone(all), func(a *alternative) bool { return !a.allows(value) })
	if len(all) == 0 {
		return nil, false
	}
	switch v := value.(type) {
	case map[string]any:
		return all.meant(v).ofObject(v), true
	case []any:
		return all.ofList(v), true
	}
	return value, true
}

// meant leaves only the alternatives whose constants an object has, if there are any.
func (all choice) meant(object map[string]any) choice {
	fitting := slices.DeleteFunc(slices.Clone(all), func(a *alternative) bool {
		for name, n := range a.properties {
			if v, ok := object[name]; ok && !n.mayBe(v) {
				return true
			}
		}
		return false
	})
	if len(fitting) == 0 {
		return all
	}
	return fitting
}

// mayBe is false for a string that is none of the constants of a place that has only constants.
func (n *node) mayBe(value any) bool {
	s, ok := value.(string)
	if !ok {
		return true
	}
	for _, a := range n.alternatives {
		if a.hasConstant(s) {
			return true
		}
	}
	return len(n.alternatives) == 0
}

func (a *alternative) hasConstant(s string) bool {
	for _, m := range a.assertions {
		if c, ok := m["const"]; ok && c != s {
			return false
		}
		if values, ok := m["enum"].([]any); ok && len(values) == 1 && values[0] != s {
			return false
		}
	}
	return true
}

func (all choice) ofObject(object map[string]any) map[string]any {
	known := make(map[string]any, len(object))
	for name, value := range object {
		next, free := all.member(name)
		if free {
			known[name] = value
		} else if v, ok := next.of(value); ok {
			known[name] = v
		}
	}
	return known
}

// member returns the alternatives of a member. free reports whether an alternative allows the
// member without a schema for it.
func (all choice) member(name string) (next choice, free bool) {
	for _, a := range all {
		n := a.properties[name]
		for pattern, m := range a.patterns {
			if re, err := compilePattern(pattern); n == nil && err == nil && re.MatchString(name) {
				n = m
			}
		}
		switch {
		case n == nil && a.additional != nil:
			n = a.additional
		case n == nil && a.open:
			free = true
		}
		if n != nil {
			next = append(next, n.alternatives...)
		}
	}
	return next, free
}

func (all choice) ofList(list []any) []any {
	known := make([]any, 0, len(list))
	for i, value := range list {
		next, free := all.element(i)
		if free {
			known = append(known, value)
		} else if v, ok := next.of(value); ok {
			known = append(known, v)
		}
	}
	return known
}

func (all choice) element(i int) (next choice, free bool) {
	for _, a := range all {
		switch {
		case i < len(a.tuple):
			next = append(next, a.tuple[i].alternatives...)
		case a.items != nil:
			next = append(next, a.items.alternatives...)
		default:
			free = true
		}
	}
	return next, free
}

func (a *alternative) allows(value any) bool {
	if a.types == nil {
		return true
	}
	for _, t := range a.types {
		if isOf(value, t) {
			return true
		}
	}
	return false
}

func isOf(value any, typ string) bool {
	switch v := value.(type) {
	case nil:
		return typ == "null"
	case bool:
		return typ == "boolean"
	case string:
		return typ == "string"
	case json.Number:
		return typ == "number" || typ == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case []any:
		return typ == "array"
	case map[string]any:
		return typ == "object"
	}
	return false
}

// Decode reads a body. Numbers keep their digits.
func Decode(data []byte) (any, error) {
	return jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
}
