package hostile

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// isMeta reports whether a type is one of Kubernetes' metadata.
func isMeta(t reflect.Type) bool { return strings.HasSuffix(t.PkgPath(), "/apis/meta/v1") }

// isFloat reports whether values are numbers of Go's float64, or contain such as elements.
func isFloat(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Float64
}

// learn collects the names of members.
func (d *drawer) learn(t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || isMeta(t) {
		return
	}
	seen[t] = true
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && name != "metadata" && name != "$propertyBag" {
			if !slices.Contains(d.byName[name], f.Type) {
				d.byName[name] = append(d.byName[name], f.Type)
				d.floats[name] = d.floats[name] || isFloat(f.Type)
			}
		}
		d.learn(f.Type, seen)
	}
	d.names = slices.Sorted(maps.Keys(d.byName))
}

// value draws a value of a type.
func (d *drawer) value(t reflect.Type, depth int) *node {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if d.isOdd() {
		return d.any(2)
	}
	switch {
	case t.Name() == "JSON" && t.Kind() == reflect.Slice:
		return d.any(3)
	case t.Name() == "PropertyBag" && t.Kind() == reflect.Map:
		return d.bag(depth)
	case isMeta(t) && t.Name() == "Time":
		return &node{kind: '"', text: pick(d, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", "2026-12-31T23:59:59Z", "2026-02-30T00:00:00Z", "2026-01-02T03:04:05+01:00", "2024-02-29T00:00:00Z", "0001-01-01T00:00:00Z")}
	}
	switch t.Kind() {
	case reflect.String:
		return &node{kind: '"', text: d.text()}
	case reflect.Int64:
		return &node{text: pick(d, "0", "1", "-1", "7", "9007199254740993", "9223372036854775807", "-9223372036854775808", "12")}
	case reflect.Float64:
		return &node{text: pick(d, "0", "1", "1.5", "-0.0", "1.50e0", "1e2", "0.1", "1E-7", "123456789.25", "1e21", "-0")}
	case reflect.Bool:
		return &node{text: pick(d, "true", "false")}
	case reflect.Slice:
		n := &node{kind: '['}
		for range d.length(depth) {
			n.values = append(n.values, d.value(t.Elem(), depth-1))
		}
		return n
	case reflect.Map:
		n := &node{kind: '{'}
		for range d.length(depth) {
			n.names, n.values = append(n.names, d.name()), append(n.values, d.value(t.Elem(), depth-1))
		}
		if !d.isOdd() {
			n.once()
		}
		return n
	case reflect.Struct:
		return d.object(t, depth)
	}
	return d.any(2)
}

func (d *drawer) length(depth int) int {
	if depth <= 0 {
		return 0
	}
	return pick(d, 0, 1, 1, 2, 3, 5)
}

func (d *drawer) object(t reflect.Type, depth int) *node {
	n := &node{kind: '{'}
	chance := pick(d, 1, 2, 2, 3)
	for f := range t.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		always := !strings.Contains(rest, "omitempty") && !strings.Contains(rest, "omitzero")
		switch {
		case strings.Contains(rest, "inline"), name == "metadata", name == "apiVersion", name == "kind":
			continue
		case name == "-":
			if f.Type.Kind() == reflect.Map && d.one(2) {
				for range d.IntN(3) {
					n.names, n.values = append(n.names, d.name()), append(n.values, d.value(f.Type.Elem(), depth-1))
				}
			}
			continue
		case name == "$propertyBag" && !d.one(3), name == "propertyBag" && f.Type == reflect.TypeFor[*string]():
			continue
		case name == "originalVersion":
			if !d.one(4) {
				n.set(name, &node{kind: '"', text: d.label()})
			}
			continue
		case depth <= 0 && !always && !d.one(4), !always && !d.one(chance):
			continue
		}
		n.names, n.values = append(n.names, name), append(n.values, d.value(f.Type, depth-1))
	}
	if d.isOdd() {
		n.names, n.values = append(n.names, d.name()), append(n.values, d.any(2))
	}
	if !d.isOdd() {
		n.once()
	}
	return n
}

// bag draws a property bag.
func (d *drawer) bag(depth int) *node {
	n := &node{kind: '{'}
	for range d.IntN(4) {
		key, v := d.key(depth)
		n.names, n.values = append(n.names, key), append(n.values, v)
	}
	if !d.isOdd() {
		n.once()
	}
	return n
}

// key draws a key of a property bag, and its value.
func (d *drawer) key(depth int) (string, *node) {
	if d.one(4) {
		return pick(d, "k", "l", "", "k@"+d.label(), "é", "a/b", `a"b`), d.any(3)
	}
	name := pick(d, d.names...)
	v := d.value(pick(d, d.byName[name]...), min(depth-1, 2))
	switch d.IntN(8) {
	case 0:
		name += "@" + d.label()
	case 1:
		v = d.any(3)
	}
	if d.isOdd() {
		name += "@" + d.label() + "!raw"
	}
	return name, v
}

// label draws the label of a version, or what is none.
func (d *drawer) label() string {
	if d.one(3) {
		return pick(d, "v1", "v2", "", "v20190909|v20150505")
	}
	return pick(d, d.kind.Versions...)
}

func (d *drawer) text() string {
	return pick(d, "a", "b", "", "red", "<&>", "é\u2028", "a\"b\\c\n", "$propertyBag", "Owner", "Active", "\U0001F642", "x y", "null", strings.Repeat("z", d.IntN(40)), "\x00\x1f\x7f")
}

func (d *drawer) name() string {
	if d.isOdd() {
		return pick(d, "$propertyBag", "$$propertyBag", "bag", "in", "more", "__proto__", "@", "!raw", "originalVersion", "propertyBag")
	}
	return pick(d, "a", "b", "c", "x", "", "known", "color", "é", "a b", "bag", "in", "more", "a/b", `q"`, "Z", "@")
}

// any draws any JSON.
func (d *drawer) any(depth int) *node {
	switch d.IntN(9) {
	case 0:
		return &node{text: "null"}
	case 1:
		return &node{text: pick(d, "true", "false")}
	case 2:
		return &node{text: pick(d, "0", "1.0", "1e400", "-0", "12345678901234567890", "1E2", "3")}
	case 3, 4:
		return &node{kind: '"', text: d.text()}
	case 5, 6:
		n := &node{kind: '['}
		for range min(d.IntN(4), 2*depth) {
			n.values = append(n.values, d.any(depth-1))
		}
		return n
	default:
		n := &node{kind: '{'}
		for range min(d.IntN(4), 2*depth) {
			n.names, n.values = append(n.names, d.name()), append(n.values, d.any(depth-1))
		}
		if !d.isOdd() {
			n.once()
		}
		return n
	}
}
