package jsontext

import (
	"encoding/json"

	"github.com/stratakube/strata/runtime"
)

// Matches reports whether got is the same JSON value as want, where a member of want that is null
// may be absent.
func Matches(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		return ok && matchesMembers(got, want)
	case []any:
		got, ok := got.([]any)
		return ok && matchesElements(got, want)
	case json.Number:
		got, ok := got.(json.Number)
		return ok && IsSameNumber(string(got), string(want))
	default:
		return got == want
	}
}

func matchesMembers(got, want map[string]any) bool {
	for name, value := range want {
		member, found := got[name]
		if !found && value == nil {
			continue
		}
		if !found || !Matches(member, value) {
			return false
		}
	}
	for name := range got {
		if _, found := want[name]; !found {
			return false
		}
	}
	return true
}

func matchesElements(got, want []any) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range want {
		if !Matches(got[i], want[i]) {
			return false
		}
	}
	return true
}

// IsSame reports whether two values are the same, absent ones among them.
func IsSame(a, b runtime.JSON) bool {
	if string(a) == string(b) {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	x, errX := Parse(a)
	y, errY := Parse(b)
	return errX == nil && errY == nil && Matches(x, y) && Matches(y, x)
}
