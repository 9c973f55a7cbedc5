package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime/convert"
)

// decode reads JSON without rounding its numbers.
func decode(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	return out, nil
}

// withoutBag removes the property bag of a version, which users do not edit, the version itself,
// and a status that is empty without its bag.
func withoutBag(object map[string]any) map[string]any {
	object = maps.Clone(object)
	delete(object, "apiVersion")
	path := convert.BagPath()
	if status, ok := object[path[0]].(map[string]any); ok {
		status = maps.Clone(status)
		delete(status, path[1])
		if object[path[0]] = status; len(status) == 0 {
			delete(object, path[0])
		}
	}
	return object
}

// difference returns the path of the first difference between two JSON values. Numbers are compared
// by value.
func difference(a, b any, path string) (string, bool) { return comparison{}.find(a, b, path) }

// lack returns the path of the first difference between two stored objects, except that the
// property bags of b may have members that a lacks.
func lack(a, b any, path string) (string, bool) { return comparison{bagsGrow: true}.find(a, b, path) }

type comparison struct {
	bagsGrow bool // property bags of the second value may have more members
	inBag    bool
}

func (c comparison) find(a, b any, path string) (string, bool) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return path, true
		}
		return c.members(a, b, path)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return path, true
		}
		for i := range a {
			if found, ok := c.find(a[i], b[i], path+"["+strconv.Itoa(i)+"]"); ok {
				return found, true
			}
		}
		return "", false
	case json.Number:
		b, ok := b.(json.Number)
		return path, !ok || !equal(string(a), string(b))
	}
	return path, a != b
}

func (c comparison) members(a, b map[string]any, path string) (string, bool) {
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		left, inA := a[name]
		right, inB := b[name]
		at, inside := join(path, name), c
		inside.inBag = c.inBag || name == convert.PropertyBag
		if !inA && c.bagsGrow && inside.inBag {
			continue
		}
		if inA != inB {
			return at, true
		}
		if found, ok := inside.find(left, right, at); ok {
			return found, true
		}
	}
	return "", false
}

// equal compares two numbers by value. It compares texts with large exponents literally, since
// their values take much memory.
func equal(a, b string) bool {
	if a == b || len(a) > 64 || len(b) > 64 || exponent(a) > 400 || exponent(b) > 400 {
		return a == b
	}
	x, isX := new(big.Rat).SetString(a)
	y, isY := new(big.Rat).SetString(b)
	return isX && isY && x.Cmp(y) == 0
}

func exponent(number string) int {
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return 0
	}
	n, err := strconv.Atoi(number[i+1:])
	if err != nil {
		return 1 << 30
	}
	return max(n, -n)
}

// maxName is the maximum length of a member's name in a path. Longer names are cut.
const maxName = 100

// join adds a member to a path. Names that are not plain are quoted.
func join(path, name string) string {
	plain := name != "" && len(name) <= maxName && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
	if !plain {
		return path + "[" + strconv.QuoteToASCII(name[:min(len(name), maxName)]) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
