package proofs

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// property is one that is away in some versions and has other shapes in others.
type property struct {
	generation
	names    []string // the path, of JSON names below the spec, with [] and {} for elements of lists and maps
	old, new string   // labels of versions that have it, or empty
	keys     map[string]string
}

// writers are how many objects of each version are tried.
const writers = 3

// comes demands that values of a property come back to the version that they were set in, whatever they pass.
func comes(t *testing.T, name string, p property) {
	t.Run(name, func(t *testing.T) {
		set := map[string][][]byte{}
		for _, v := range p.versions {
			if p.stands(v) {
				set[v.label] = p.drawn(t, v)
			}
		}
		for _, label := range []string{p.old, p.new} {
			if label != "" && set[label] == nil {
				t.Errorf("%s does not have the property", label)
			}
		}
		if len(set) == 0 || len(set) == len(p.versions) && p.old == "" {
			t.Errorf("%d of %d versions have the property", len(set), len(p.versions))
		}
		t.Run("key", p.oneKey)
		for _, v := range p.versions {
			for i, x := range set[v.label] {
				t.Run(fmt.Sprint(v.label, " ", i), func(t *testing.T) { p.check(t, v, x) })
			}
		}
		t.Run("both", func(t *testing.T) { p.bothShapes(t, set) })
	})
}

// stands reports whether a version has the property.
func (p property) stands(v version) bool {
	_, ok := p.shape(v)
	return ok
}

// shape is the type of the property in a version.
func (p property) shape(v version) (reflect.Type, bool) {
	return typeAt(reflect.TypeOf(v.from).In(0), append([]string{"spec"}, p.names...))
}

// typeAt is the type at a path.
func typeAt(t reflect.Type, path []string) (reflect.Type, bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(path) == 0 {
		return t, true
	}
	switch {
	case path[0] == "[]" && t.Kind() == reflect.Slice, path[0] == "{}" && t.Kind() == reflect.Map:
		return typeAt(t.Elem(), path[1:])
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name != "" && strings.EqualFold(name, path[0]) {
				return typeAt(t.Field(i).Type, path[1:])
			}
		}
	}
	return nil, false
}

// drawn returns objects of a version that have a value of the property, if possible one that holds something.
func (p property) drawn(t *testing.T, v version) [][]byte {
	var found, empty [][]byte
	v.draw(t, func(api any) {
		x := tree(text(api))
		uncover(x)
		switch set := values(x["spec"], p.names); {
		case slices.ContainsFunc(set, full):
			found = append(found, text(x))
		case len(set) > 0:
			empty = append(empty, text(x))
		}
	})
	if found = append(found, empty...); len(found) == 0 {
		t.Errorf("no value of the property was drawn in %s", v.label)
	}
	return found[:min(len(found), writers)]
}

// values are all values at a path.
func values(t any, path []string) []any {
	if len(path) == 0 {
		return []any{t}
	}
	var all []any
	switch t := t.(type) {
	case []any:
		for _, element := range t {
			if path[0] == "[]" {
				all = append(all, values(element, path[1:])...)
			}
		}
	case map[string]any:
		for name, value := range t {
			if path[0] == "{}" || strings.EqualFold(name, path[0]) {
				all = append(all, values(value, path[1:])...)
			}
		}
	}
	return all
}

// full reports whether a value holds more than nothing.
func full(t any) bool {
	switch t := t.(type) {
	case map[string]any:
		return len(t) > 0
	case []any:
		return len(t) > 0
	}
	return t != nil
}

// kind is what values of a type are in JSON, as far as shapes convert to one another.
func kind(shape reflect.Type) string {
	switch shape.Kind() {
	case reflect.Pointer:
		return kind(shape.Elem())
	case reflect.Struct:
		return "object"
	case reflect.Map:
		return "map of " + kind(shape.Elem())
	case reflect.Slice:
		if shape.Elem().Kind() == reflect.Uint8 {
			return "free JSON"
		}
		return "list of " + kind(shape.Elem())
	}
	return shape.Kind().String()
}

// key is the key that the ledger gives to a kind, or nothing where no shape of it ever lies in a bag.
func (p property) key(of string) string {
	for _, v := range p.versions {
		if shape, ok := p.shape(v); ok && kind(shape) == of && p.keys[v.source] != "" {
			return p.keys[v.source]
		}
	}
	return ""
}

// oneKey demands that the ledger gives one key to all shapes of one kind.
func (p property) oneKey(t *testing.T) {
	for _, v := range p.versions {
		shape, ok := p.shape(v)
		if !ok {
			continue
		}
		if given, own := p.key(kind(shape)), p.keys[v.source]; own != "" && own != given {
			t.Errorf("the ledger gives the kind %s two keys, %q and, in %s, %q", kind(shape), given, v.label, own)
		}
	}
}

// check takes an object of a version along the chain and through every other version.
func (p property) check(t *testing.T, v version, x []byte) {
	stored, err := p.write(v.label, x)
	if err != nil {
		t.Error(err)
		return
	}
	hub, err := p.load(stored)
	if err != nil {
		t.Error(err)
		return
	}
	p.steps(t, v, x, stored)
	p.bags(t, v, hub)
	p.expect(t, "back from the hub", stored, v, x)
	if !p.hides {
		return
	}
	for _, w := range p.versions {
		p.through(t, v, w, x, stored)
	}
}

func (p property) expect(t *testing.T, way string, stored []byte, v version, want []byte) {
	got, err := p.read(stored, v.label)
	if err != nil {
		t.Errorf("%s, %s: %v", v.label, way, err)
		return
	}
	if d := difference(got, want); d != "" {
		t.Errorf("what was set in %s does not come %s: %s\nset: %.3000s\nstored: %.3000s", v.label, way, d, want, stored)
	}
}

// steps demands that the steps along the chain lose nothing, in both directions.
func (p property) steps(t *testing.T, v version, x, stored []byte) {
	api := receiver(v.toStorage)
	if err := decode(x, api); err != nil {
		t.Error(err)
		return
	}
	object := p.storage(v.label).object()
	if err := call(v.toStorage, api, object); err != nil {
		t.Errorf("%s to its storage type: %v", v.label, err)
		return
	}
	up, err := p.path(v.label, object)
	if err != nil {
		t.Error(err)
		return
	}
	if d := difference(text(up[len(up)-1].object), stored); d != "" {
		t.Errorf("step by step from %s gives another hub object than at once: %s", v.label, d)
	}
	down, err := p.descend(v.label, up[len(up)-1].object)
	if err != nil {
		t.Error(err)
		return
	}
	slices.Reverse(down)
	for i := range up {
		if d := difference(text(down[i].object), text(up[i].object)); d != "" {
			t.Errorf("what was set in %s is in %s, on the way back from the hub, not as on the way there: %s\nthere: %.3000s",
				v.label, up[i].label, d, text(up[i].object))
			return
		}
	}
}

// bags demands that the value lies under the key that the ledger names in each storage type that has the object around
// the property, but not the property.
func (p property) bags(t *testing.T, v version, hub any) {
	last := len(p.names) - 1
	for p.names[last] == "[]" || p.names[last] == "{}" {
		last--
	}
	around, name := append([]string{"spec"}, p.names[:last]...), p.names[last]
	for _, s := range p.storages {
		if _, ok := typeAt(reflect.TypeOf(s.empty), append(around[:len(around):len(around)], name)); ok {
			continue
		}
		path, err := p.descend(s.label, hub)
		if err != nil {
			t.Error(err)
			return
		}
		shape, _ := p.shape(v)
		there, wanted := 0, cmp.Or(p.keys[v.source], p.key(kind(shape)))
		places := values(tree(text(path[len(path)-1].object)), around)
		for _, key := range keysOf(places, name) {
			if there++; key != wanted {
				t.Errorf("in %s the value of %s lies under %q, and the ledger names %q", s.label, v.label, key, wanted)
				return
			}
		}
		if there == 0 && len(places) > 0 {
			t.Errorf("in %s no bag holds the value of %s under %q", s.label, v.label, wanted)
			return
		}
	}
}

// keysOf are the keys in the bags of objects that belong to a property of that name.
func keysOf(objects []any, name string) []string {
	var keys []string
	for _, o := range objects {
		object, _ := o.(map[string]any)
		bag, _ := object["$propertyBag"].(map[string]any)
		for key := range bag {
			if base, _, _ := strings.Cut(key, "@"); strings.EqualFold(base, name) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// through lets a client of version w write an object of version v back as it is, and with an edit.
func (p property) through(t *testing.T, v, w version, x, stored []byte) {
	seen, err := p.read(stored, w.label)
	if err != nil {
		t.Error(err)
		return
	}
	back, err := p.write(w.label, seen)
	if err != nil {
		t.Error(err)
		return
	}
	if d := difference(back, stored); d != "" {
		t.Errorf("%s wrote back what it read of an object of %s, and changed what is stored: %s\nset: %.3000s\nread: %.3000s",
			w.label, v.label, d, x, seen)
		return
	}
	edit := func(object []byte) []byte {
		edited := tree(object)
		metadata, _ := edited["metadata"].(map[string]any)
		metadata["labels"] = map[string]any{"edited": w.label}
		if spec, ok := edited["spec"].(map[string]any); ok {
			spec["azureName"] = "edited"
		}
		return text(edited)
	}
	if back, err = p.write(w.label, edit(seen)); err != nil {
		t.Error(err)
		return
	}
	p.expect(t, "back after an edit through "+w.label, back, v, edit(x))
	p.expect(t, "to "+w.label+" as it saw it", back, w, edit(seen))
}

// bothShapes sets the property in the new version where the old one has set it before.
func (p property) bothShapes(t *testing.T, set map[string][][]byte) {
	if !p.hides || p.old == "" || slices.Contains(p.names, "[]") || slices.Contains(p.names, "{}") {
		return
	}
	before, after := p.version(p.old), p.version(p.new)
	for i := range min(len(set[p.old]), len(set[p.new])) {
		x, z := set[p.old][i], set[p.new][i]
		stored, err := p.write(p.old, x)
		if err != nil {
			t.Error(err)
			return
		}
		seen, err := p.read(stored, p.new)
		if err != nil {
			t.Error(err)
			return
		}
		y := text(p.assign(tree(seen), values(tree(z)["spec"], p.names)[0]))
		if stored, err = p.write(p.new, y); err != nil {
			t.Error(err)
			return
		}
		p.expect(t, "back over the old shape", stored, after, y)
		p.keeps(t, stored, before, x)
		if stored, err = p.passed(stored, p.old); err != nil {
			t.Error(err)
			return
		}
		p.expect(t, "back after "+p.old+" wrote what it read", stored, after, y)
	}
}

// assign sets the property in an object; members of an object are added to those that it has.
func (p property) assign(object map[string]any, value any) map[string]any {
	at := object["spec"].(map[string]any)
	for _, name := range p.names[:len(p.names)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	last := p.names[len(p.names)-1]
	was, isObject := at[last].(map[string]any)
	members, areMembers := value.(map[string]any)
	if !isObject || !areMembers {
		at[last] = value
		return object
	}
	for name, member := range members {
		was[name] = member
	}
	return object
}

// keeps demands that members which the new shape does not have are still there for the old version.
func (p property) keeps(t *testing.T, stored []byte, v version, x []byte) {
	got, err := p.read(stored, v.label)
	if err != nil {
		t.Error(err)
		return
	}
	path := append([]string{"spec"}, p.names...)
	shape, _ := p.shape(p.version(p.new))
	was, _ := values(tree(x), path)[0].(map[string]any)
	found := values(tree(got), path)
	for name, member := range was {
		if _, known := typeAt(shape, []string{name}); known || shape.Kind() != reflect.Struct {
			continue
		}
		if len(found) == 0 || len(values(found[0], []string{name})) == 0 || compare(name, values(found[0], []string{name})[0], member) != "" {
			t.Errorf("%s has set %s to %s, and %s, which does not know it, has taken it away: %s", v.label, name, text(member), p.new, text(found))
		}
	}
}
