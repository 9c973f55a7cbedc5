package conformance

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// proveOriginal checks of a write that the original version became the one that was written
// through if users changed the spec that they see, unless that lacks something which the former one
// can express: an edit never makes a client of the external API send less. In the bags of versions
// after a hand-written step the law does not know whether a value is missing from which the step
// has derived others: it requires what follows from both.
func (c *chain) proveOriginal(l *link, w *rewrite, before, after unsafe.Pointer) error {
	was, known := c.original(w.hub)
	is, stillKnown := c.original(w.hubNext)
	former := c.link(was)
	if !known || !stillKnown || former == nil {
		return nil
	}
	if is != was && is != l.label {
		return fmt.Errorf("the original version became %q, not %q", is, l.label)
	}
	if !c.tellsLost(w.hubNext, l, former) {
		return nil
	}
	want := was
	if isWish := w.edit.steps[0].tag == "spec" && !sameLook(l, before, after); isWish {
		lacks, err := c.lost(l, w.hubNext)
		lacked, err2 := c.lost(former, w.hubNext)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		moves := lacks.within(lacked)
		if moves != lacks.without(c.derived).within(lacked) {
			return nil
		}
		if moves {
			want = l.label
		}
	} else if len(l.augmented) > 0 {
		return nil // what users see may look otherwise in storage
	}
	if is != want {
		return fmt.Errorf("the original version was %q and is %q, not %q\nh is %s", was, is, want,
			describeUpTo(c.hub.store, w.hubNext, 2000))
	}
	return nil
}

// original returns the original version of a hub object that has a spec.
func (c *chain) original(h unsafe.Pointer) (label string, ok bool) {
	spec, err := c.hub.programs.store.find("Spec")
	if err != nil {
		return "", false
	}
	original, err := c.hub.programs.store.find("Spec.OriginalVersion")
	if err != nil {
		return "", false
	}
	p := *(*unsafe.Pointer)(unsafe.Add(h, spec.offset))
	if p == nil {
		return "", false
	}
	if label = *(*string)(unsafe.Add(p, original.offset)); label == "" {
		label = c.hub.label
	}
	return label, true
}

// covers reports whether additional members of a version's storage object cover what they were made
// of, or are kept from it because it names them. The law does not know which values these are.
func (c *chain) covers(l *link, h unsafe.Pointer) (covers bool) {
	s, err := l.descend(h)
	spec, missing := l.programs.store.find("Spec")
	if err != nil || missing != nil {
		return false
	}
	eachBag(spec.node, unsafe.Add(s, spec.offset), func(bag *map[string][]byte) {
		covers = covers || coversMore((*bag)[coveredName]) || c.hasNamed((*bag)[furtherName]) || c.hasNamed((*bag)[namedName])
	})
	return covers
}

// namesObjects reports whether additional members of a hub's spec are objects that some version
// names, as one of the versions has it, or in its property bags. The list of what a version can
// express has less of these than the version can express: the kind of an object, not its members.
func (c *chain) namesObjects(h unsafe.Pointer, versions ...*link) (names bool) {
	for _, l := range versions {
		spec, err := l.programs.store.find("Spec")
		s, failed := l.descend(h)
		if err != nil || failed != nil {
			continue
		}
		spec.node.within(unsafe.Add(s, spec.offset), func(p unsafe.Pointer) { names = names || c.namesObjectsIn(spec.node, p) })
	}
	return names
}

// namesObjectsIn is namesObjects for the object at p, or one within.
func (c *chain) namesObjectsIn(n node, p unsafe.Pointer) bool {
	o, _ := objectIn(n)
	for name, text := range o.furtherTexts(p) {
		if c.named[name] && (text[0] == '{' || text[0] == '[') {
			return true
		}
	}
	found := false
	for i := range o.fields {
		f := &o.fields[i]
		if f.rare {
			bag := *(*map[string][]byte)(unsafe.Add(p, f.offset))
			found = found || c.hasNamed(bag[namedName]) || c.hasNamed(bag[furtherName])
		}
		if inner, _ := objectIn(f.node); inner != nil && !f.rare {
			f.node.within(unsafe.Add(p, f.offset), func(p unsafe.Pointer) { found = found || c.namesObjectsIn(f.node, p) })
		}
	}
	return found
}

// coversMore reports whether additional members cover more than they show.
func coversMore(entry []byte) bool {
	covers, _ := readValue(entry).(map[string]any)
	for _, c := range covers {
		c, _ := c.(map[string]any)
		stored, _ := c["stored"].(map[string]any)
		key, _ := c["key"].(string)
		if len(stored) != 1 || !sameValue(stored[key], c["shown"]) {
			return true
		}
	}
	return false
}

// sameLook reports whether two storage objects show the same spec, but for empty and zero values.
func sameLook(l *link, a, b unsafe.Pointer) bool {
	spec, err := l.programs.store.find("Spec")
	if err != nil {
		return true
	}
	n := spec.node.(*pointer)
	x, y := *(*unsafe.Pointer)(unsafe.Add(a, spec.offset)), *(*unsafe.Pointer)(unsafe.Add(b, spec.offset))
	if x == nil || y == nil {
		return x == y
	}
	return l.look(n.slab.of, x) == l.look(n.slab.of, y)
}

// look is what users see of a spec, without the original version and what the scale subresource
// writes.
func (l *link) look(of reflect.Type, spec unsafe.Pointer) string {
	data, err := newEncoder().encode(at(of, spec))
	if err != nil {
		return err.Error()
	}
	value := readValue(data)
	remove(value, "originalVersion")
	if scaled, ok := reflect.New(l.api).Interface().(interface{ SpecReplicasPath() string }); ok {
		remove(value, strings.Split(strings.TrimPrefix(scaled.SpecReplicasPath(), ".spec."), ".")...)
	}
	return jsonText(telling(shownOf(of), value))
}

// hasNamed reports whether an entry of a bag has an additional member that some version names.
func (c *chain) hasNamed(entry []byte) bool {
	members, _ := readValue(entry).(map[string]any)
	for name := range members {
		if c.named[name] {
			return true
		}
	}
	return false
}
