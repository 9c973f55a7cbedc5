package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// difference returns where two values differ; empty for nowhere. Whole numbers of properties that
// are no numbers of Go's float64 are equal only if their digits are.
func (d *drawer) difference(path string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return path
		}
		for name, v := range x {
			w, ok := y[name]
			if !ok {
				return path + "." + name + " is only in the first"
			}
			if at := d.difference(path+"."+name, v, w); at != "" {
				return at
			}
		}
		for name := range y {
			if _, ok := x[name]; !ok {
				return path + "." + name + " is only in the second"
			}
		}
		return ""
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return path
		}
		for i := range x {
			if at := d.difference(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); at != "" {
				return at
			}
		}
		return ""
	case json.Number:
		y, ok := b.(json.Number)
		f, errX := x.Float64()
		g, errY := y.Float64()
		if !ok || x != y && (errX != nil || errY != nil || f != g) {
			return path
		}
		if name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '.')+1:], "["); d.floats[name] {
			return "" // Go spells it in its own way
		}
		isWhole := func(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") && n != "-0" }
		if ok && x != y && isWhole(x) && isWhole(y) {
			return path + " (whole numbers)"
		}
		return ""
	}
	if !reflect.DeepEqual(a, b) {
		return path
	}
	return ""
}

// readable is a value of JSON for comparison.
func readable(data []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err := d.Decode(&v)
	return v, err
}

// withoutEmptyMetadata removes from metadata what Go types leave out.
func withoutEmptyMetadata(v any) {
	root, ok := v.(map[string]any)
	if !ok {
		return
	}
	if meta, ok := root["metadata"].(map[string]any); ok {
		for name, v := range meta {
			if v == nil || reflect.DeepEqual(v, map[string]any{}) || reflect.DeepEqual(v, []any{}) {
				delete(meta, name)
			}
		}
	}
}
