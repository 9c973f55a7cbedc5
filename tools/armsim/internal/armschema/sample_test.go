package armschema

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dlclark/regexp2"
)

// sampler draws values that should fit a node. It skips keywords that it cannot meet, such as
// patterns.
type sampler struct {
	rand *rand.Rand
	full bool // draws optional members too
}

// draw gives a value, or false where it cannot.
func (s *sampler) draw(n *node, depth int) (any, bool) {
	if depth > 24 {
		return nil, false
	}
	for _, i := range s.rand.Perm(len(n.alternatives)) {
		if v, ok := s.from(n.alternatives[i], depth); ok {
			return v, true
		}
	}
	return nil, false
}

func (s *sampler) from(a *alternative, depth int) (any, bool) {
	if v, ok := s.constant(a); ok {
		return v, true
	}
	if a.hasConstants() {
		return nil, false
	}
	typ := "object"
	switch {
	case len(a.types) > 0:
		typ = a.types[s.rand.IntN(len(a.types))]
	case len(a.properties) == 0:
		typ = "string"
	}
	switch typ {
	case "object":
		return s.object(a, depth)
	case "array":
		return s.array(a, depth)
	case "string":
		return s.text(a)
	case "boolean":
		return s.rand.IntN(2) == 0, true
	case "null":
		return nil, true
	}
	return s.number(a)
}

func (s *sampler) constant(a *alternative) (any, bool) {
	var values []any
	for _, m := range a.assertions {
		if v, ok := m["const"]; ok {
			values = append(values, v)
		}
		values = append(values, listOf(m["enum"])...)
	}
	for _, i := range s.rand.Perm(len(values)) {
		if a.hasValue(values[i]) {
			return values[i], true
		}
	}
	return nil, false
}

func (a *alternative) hasConstants() bool {
	return slices.ContainsFunc(a.assertions, func(m map[string]any) bool { return m["const"] != nil || m["enum"] != nil })
}

// hasValue reports whether a value is among all constants that are demanded.
func (a *alternative) hasValue(v any) bool {
	for _, m := range a.assertions {
		if c, ok := m["const"]; ok && !reflect.DeepEqual(c, v) {
			return false
		}
		if values := listOf(m["enum"]); values != nil && !slices.ContainsFunc(values, func(e any) bool { return reflect.DeepEqual(e, v) }) {
			return false
		}
	}
	return true
}

func (s *sampler) object(a *alternative, depth int) (any, bool) {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(a.properties)) {
		required := slices.Contains(a.required, name)
		if !required && (!s.full || depth > 5 && s.rand.IntN(3) > 0 || depth > 9) {
			continue
		}
		v, ok := s.draw(a.properties[name], depth+1)
		if required && !ok {
			return nil, false
		}
		if ok {
			object[name] = v
		}
	}
	for _, name := range a.required {
		if _, ok := object[name]; !ok {
			object[name] = "x"
		}
	}
	if a.additional != nil && s.full {
		if v, ok := s.draw(a.additional, depth+1); ok {
			object["key"] = v
		}
	}
	return object, true
}

func (s *sampler) array(a *alternative, depth int) (any, bool) {
	list := []any{}
	least := a.limit("minItems", 0)
	if s.full {
		least = max(least, 1)
	}
	for i := 0; i < least; i++ {
		if a.items == nil {
			list = append(list, "e"+strconv.Itoa(i))
		} else if v, ok := s.draw(a.items, depth+1); ok {
			list = append(list, v)
		}
	}
	return list, len(list) >= a.limit("minItems", 0)
}

func (a *alternative) limit(keyword string, otherwise int) int {
	for _, m := range a.assertions {
		if n, ok := m[keyword].(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				otherwise = int(f)
			}
		}
	}
	return otherwise
}

// texts are tried where a pattern is demanded.
var texts = []string{
	"x", "ab", "abc1", "name-1", "0", "100", "1.1.1", "12345678-1234-1234-1234-123456789012", "2020-01-01", "2020-01-01T00:00:00Z", "00:10", "10:00:00",
	"/subscriptions/s/resourceGroups/g/providers/M.N/t/n", "PT5M", "P1D", "https://a.example", "a@b.example", "10.0.0.0/16", "10.0.0.4", "ABC", "Aa1!aaaaaa", "*", "a.b", "2020-01-01T00:00:00",
	"Mon 1-2, 08:00", "ssh-rsa x", "/a", "a b", strings.Repeat("a", 24), strings.Repeat("A1", 16), strings.Repeat("0", 32), "1d", "Day,Mon", "05:00",
}

func (s *sampler) text(a *alternative) (any, bool) {
	least, most := a.limit("minLength", 0), a.limit("maxLength", 1<<20)
	for _, text := range append(slices.Clone(texts), strings.Repeat("x", least)) {
		if len(text) >= least && len(text) <= most && a.matches(text) {
			return text, true
		}
	}
	return nil, false
}

func (a *alternative) matches(text string) bool {
	for _, m := range a.assertions {
		if p, ok := m["pattern"].(string); ok {
			if matched, err := regexp2.MustCompile(p, regexp2.None).MatchString(text); err != nil || !matched {
				return false
			}
		}
	}
	return true
}

func (s *sampler) number(a *alternative) (any, bool) {
	v := a.limit("minimum", min(1, a.limit("maximum", 1)))
	if m := a.limit("multipleOf", 0); m > 0 {
		v = (v + m - 1) / m * m
	}
	return json.Number(strconv.Itoa(v)), true
}
