package conformance

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// readValue parses JSON without losing digits. It returns text that is not JSON as a string.
func readValue(data []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(data)
	}
	return value
}

// jsonText returns a value as JSON.
func jsonText(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && sameMembers(flat(a), flat(b))
	case []any:
		b, ok := b.([]any)
		return ok && sameElements(a, b)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && numberText(a) == numberText(b)
	default:
		return a == b
	}
}

func sameMembers(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		other, found := b[name]
		if !found || !sameValue(value, other) {
			return false
		}
	}
	return true
}

func sameElements(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameValue(a[i], b[i]) {
			return false
		}
	}
	return true
}

// flat returns the members of an object and those in its bag, without nulls.
func flat(object map[string]any) map[string]any {
	members := make(map[string]any, len(object))
	for name, value := range object {
		if value != nil && name != bagName {
			members[name] = value
		}
	}
	bag, ok := object[bagName].(map[string]any)
	if !ok && object[bagName] != nil {
		members[bagName] = object[bagName]
	}
	for key, value := range bag {
		name := memberName(key)
		if _, found := members[name]; !found && value != nil {
			members[name] = value
		}
	}
	return members
}

// numberText returns the same text for equal numbers: integers exactly, others as float64.
func numberText(n json.Number) string {
	if !strings.ContainsAny(string(n), ".eE") {
		if n == "-0" {
			return "0"
		}
		return string(n)
	}
	f, err := n.Float64()
	if err != nil {
		return string(n)
	}
	if f == float64(int64(f)) && f > -1e18 && f < 1e18 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// isSameJSON reports whether two values are equal. It compares numbers by value.
func isSameJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			if other, found := b[name]; !found || !isSameJSON(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, isSameJSON)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && numberText(a) == numberText(b)
	default:
		return a == b
	}
}

// sameEntry reports whether two entries of property bags have the same value.
func sameEntry(a, b []byte) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	return bytes.Equal(a, b) || sameValue(readValue(a), readValue(b))
}

// withoutNothing returns a value without null, empty and zero values, including the zeros of
// Kubernetes types. It returns nil if nothing remains.
func withoutNothing(value any) any {
	switch v := value.(type) {
	case map[string]any:
		members := map[string]any{}
		for name, member := range v {
			if rest := withoutNothing(member); rest != nil {
				members[name] = rest
			}
		}
		if len(members) == 0 {
			return nil
		}
		return members
	case []any:
		if len(v) == 0 {
			return nil
		}
		elements := make([]any, len(v))
		for i := range v {
			elements[i] = withoutNothing(v[i])
		}
		return elements
	case json.Number:
		if numberText(v) == "0" {
			return nil
		}
	case string:
		if v == "" || v == "0" || v == "0s" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return value
}

// remove removes the member at a path.
func remove(value any, path ...string) {
	object, ok := value.(map[string]any)
	switch {
	case !ok:
	case len(path) == 1:
		delete(object, path[0])
	default:
		remove(object[path[0]], path[1:]...)
	}
}
