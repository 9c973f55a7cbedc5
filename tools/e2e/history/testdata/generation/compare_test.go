package proofs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// difference says where two objects in JSON first differ, or nothing if they are equal: status.propertyBag and what
// tells their types aside.
func difference(got, want []byte) string {
	if bytes.Equal(got, want) {
		return ""
	}
	return differ(tree(got), tree(want))
}

func differ(a, b map[string]any) string {
	for _, t := range []map[string]any{a, b} {
		delete(t, "apiVersion")
		delete(t, "kind")
	}
	hidden := uncover(a)
	if uncover(b) || hidden {
		dropEmptyStatus(a)
		dropEmptyStatus(b)
	}
	return compare("", a, b)
}

// tree is JSON as Go values, with numbers as they are written.
func tree(data []byte) map[string]any {
	var t map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&t); err != nil {
		panic(fmt.Sprintf("%v in %s", err, data))
	}
	return t
}

func text(t any) []byte {
	data, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return data
}

// uncover removes status.propertyBag and reports whether it was there.
func uncover(t map[string]any) bool {
	status, _ := t["status"].(map[string]any)
	_, there := status["propertyBag"]
	delete(status, "propertyBag")
	return there
}

// dropEmptyStatus removes a status that may be there for its property bag alone.
func dropEmptyStatus(t map[string]any) {
	if status, ok := t["status"].(map[string]any); ok && len(status) == 0 {
		delete(t, "status")
	}
}

// compare returns the first difference below a path.
func compare(path string, got, want any) string {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return compareObjects(path, got, want)
		}
	case []any:
		if got, ok := got.([]any); ok && len(got) == len(want) {
			for i := range want {
				if d := compare(fmt.Sprintf("%s[%d]", path, i), got[i], want[i]); d != "" {
					return d
				}
			}
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("at %s: got %s, want %s", path, shorten(text(got)), shorten(text(want)))
}

func compareObjects(path string, got, want map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, ok := got[name]
		if !ok {
			return fmt.Sprintf("at %s.%s: got nothing, want %s", path, name, shorten(text(want[name])))
		}
		if d := compare(path+"."+name, value, want[name]); d != "" {
			return d
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			return fmt.Sprintf("at %s.%s: got %s, want nothing", path, name, shorten(text(got[name])))
		}
	}
	return ""
}

func shorten(data []byte) string {
	const most = 400
	if len(data) > most {
		return string(data[:most]) + "..."
	}
	return string(data)
}
