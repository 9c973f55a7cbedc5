package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"unsafe"
)

// Former is a version of a kind with hand-written conversions, before a project switches to
// generated ones.
type Former struct {
	label    string
	of, hub  reflect.Type
	to, from func(object, hub any) error
}

// FormerVersion returns a version of API type A that converts to H, the API type in which a
// cluster stores objects.
func FormerVersion[A, H any](label string, to, from func(object *A, hub *H) error) Former {
	return Former{
		label: label, of: reflect.TypeFor[A](), hub: reflect.TypeFor[H](),
		to:   func(object, hub any) error { return to(object.(*A), hub.(*H)) },
		from: func(object, hub any) error { return from(object.(*A), hub.(*H)) },
	}
}

// FormerHub returns the version of H, the API type in which a cluster stores objects.
func FormerHub[H any](label string) Former {
	return Former{label: label, of: reflect.TypeFor[H](), hub: reflect.TypeFor[H]()}
}

// Reading compares how the objects of a kind are read before and after a switch.
type Reading struct {
	Kind string `json:"kind"`
	// Stored counts the stored objects. Refused counts those that the former conversions could
	// not store or read. Read counts the readings, each in one version by both conversions.
	Stored  int `json:"stored"`
	Refused int `json:"refused"`
	Read    int `json:"read"`
	// Differences are the properties that are read differently, sorted.
	Differences []Difference `json:"differences"`
}

// Difference is a property that is read differently after a switch, with the first object that
// shows it.
type Difference struct {
	Version string          `json:"version"`
	Path    string          `json:"path"`
	Count   int             `json:"count"`
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`
	Stored  json.RawMessage `json:"stored"`
}

// CompareReadings stores random objects of every version. It compares how the former conversions
// read them with how read does, which converts a stored object to a version. It ignores
// annotations with the given keys, property bags, and differences that the Go type of a version
// cannot represent. It writes the result to out as one line of JSON.
func CompareReadings(out io.Writer, kind string, cases int, ignored []string, versions []Former, read func(version string, stored []byte) ([]byte, error)) error {
	c := &readings{kind: kind, versions: versions, read: read, ignored: ignored, encoder: newEncoder(), found: map[[2]string]*Difference{}}
	c.Kind, c.visible = kind, true
	for _, v := range versions {
		p, err := compileFor(v.of, true)
		if err != nil {
			return fmt.Errorf("%s %s: %w", kind, v.label, err)
		}
		if bag, err := p.find(statusBag); err == nil {
			bag.ignored = true
		}
		for n := range cases {
			if err := c.object(v, p, hash(kind+" "+v.label)+uint64(n)); err != nil {
				return fmt.Errorf("%s %s: %w", kind, v.label, err)
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(c.found), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		c.Differences = append(c.Differences, *c.found[key])
	}
	data, err := json.Marshal(c.Reading)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", data)
	return err
}

// readings compares the versions of a kind.
type readings struct {
	Reading
	encoder
	drawer
	kind     string
	versions []Former
	ignored  []string
	read     func(version string, stored []byte) ([]byte, error)
	found    map[[2]string]*Difference
}

// object stores an object of a version, and reads it in all versions.
func (c *readings) object(v Former, p *program, seed uint64) error {
	x, err := c.through(p, p.draw(&c.drawer, seed, usualScale.budget), json.Unmarshal)
	if err != nil {
		return err
	}
	hub, ok := c.store(v, x)
	if !ok {
		c.Refused++
		return nil
	}
	c.setType(hub)
	stored, err := c.copyOf(hub)
	if err != nil {
		return err
	}
	c.Stored++
	for _, w := range c.versions {
		if err := c.compare(w, stored); err != nil {
			return fmt.Errorf("read as %s: %w", w.label, err)
		}
	}
	return nil
}

// store converts a drawn object to the stored one. It returns false if the former conversion
// fails.
func (c *readings) store(v Former, x unsafe.Pointer) (hub any, ok bool) {
	if v.to == nil {
		return at(v.of, x), true
	}
	h := reflect.New(v.hub)
	return h.Interface(), survives(func() error { return v.to(at(v.of, x), h.Interface()) })
}

// setType sets the kind and the version of the stored object.
func (c *readings) setType(hub any) {
	for _, v := range c.versions {
		if v.to == nil {
			name(hub, c.kind, v.label)
		}
	}
}

// name sets the kind and the apiVersion of an object by reflection.
func name(object any, kind, version string) {
	meta := reflect.ValueOf(object).Elem().FieldByName("TypeMeta")
	if meta.IsValid() && meta.Kind() == reflect.Struct {
		group, short := cutLast(kind)
		meta.FieldByName("Kind").SetString(short)
		meta.FieldByName("APIVersion").SetString(group + "/" + version)
	}
}

// cutLast splits a kind such as db.example.com/Database.
func cutLast(kind string) (group, name string) {
	for i := len(kind) - 1; i >= 0; i-- {
		if kind[i] == '/' {
			return kind[:i], kind[i+1:]
		}
	}
	return "", kind
}

func (c *readings) copyOf(value any) ([]byte, error) {
	data, err := c.encode(value)
	return slices.Clone(data), err
}

// survives reports whether a conversion succeeds without a panic.
func survives(convert func() error) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	return convert() == nil
}

// compare reads a stored object in a version by both conversions.
func (c *readings) compare(w Former, stored []byte) error {
	hub, old := reflect.New(w.hub), reflect.New(w.of)
	if err := json.Unmarshal(stored, hub.Interface()); err != nil {
		return err
	}
	if w.from == nil {
		old = hub
	} else if !survives(func() error { return w.from(old.Interface(), hub.Interface()) }) {
		c.Refused++
		return nil
	}
	name(old.Interface(), c.kind, w.label)
	text, err := c.read(w.label, stored)
	if err != nil {
		return err
	}
	is := reflect.New(w.of)
	if err := json.Unmarshal(text, is.Interface()); err != nil {
		return fmt.Errorf("%s is no %v: %w", text, w.of, err)
	}
	before, err := c.value(old.Interface())
	if err != nil {
		return err
	}
	after, err := c.value(is.Interface())
	if err != nil {
		return err
	}
	c.Read++
	c.differ(w.label, "", before, after, stored)
	return nil
}

// value returns an object as JSON, without the ignored values.
func (c *readings) value(object any) (any, error) {
	data, err := c.copyOf(object)
	if err != nil {
		return nil, err
	}
	value := readValue(data)
	remove(value, "status", "propertyBag")
	for _, key := range c.ignored {
		remove(value, "metadata", "annotations", key)
	}
	if root, ok := value.(map[string]any); ok {
		if meta, ok := root["metadata"].(map[string]any); ok {
			if annotations, ok := meta["annotations"].(map[string]any); ok && len(annotations) == 0 {
				delete(meta, "annotations")
			}
		}
	}
	return value, nil
}

// differ records the differences between two values.
func (c *readings) differ(version, path string, before, after any, stored []byte) {
	x, isObject := before.(map[string]any)
	y, alsoObject := after.(map[string]any)
	if isObject && alsoObject {
		for _, key := range members(x, y) {
			next := key
			if path != "" {
				next = path + "." + key
			}
			c.differ(version, next, x[key], y[key], stored)
		}
		return
	}
	a, isList := before.([]any)
	b, alsoList := after.([]any)
	if isList && alsoList && len(a) == len(b) {
		for i := range a {
			c.differ(version, path+"[]", a[i], b[i], stored)
		}
		return
	}
	if sameValue(before, after) {
		return
	}
	key := [2]string{version, path}
	if c.found[key] == nil {
		c.found[key] = &Difference{Version: version, Path: path, Before: raw(before), After: raw(after), Stored: stored}
	}
	c.found[key].Count++
}

// members returns the names of the members of two objects, sorted.
func members(a, b map[string]any) []string {
	names := slices.Collect(maps.Keys(a))
	for key := range b {
		if _, both := a[key]; !both {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}

func raw(value any) json.RawMessage {
	if value == nil {
		return nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage(strconv.Quote(err.Error()))
	}
	return data
}
