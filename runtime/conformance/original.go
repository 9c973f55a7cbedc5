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
// can express: an edit never makes a client of the external API send less. Where hand-written steps
// derive values, the law does not know by itself what a version lacks, and believes the runtime. In
// the bags of versions after such a step it does not know whether a value is missing from which the
// step has derived others: it requires what follows from both.
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
	wrong := func(want string) error {
		return fmt.Errorf("the original version was %q and is %q, not %q\nh is %s", was, is, want,
			describeUpTo(c.hub.store, w.hubNext, 2000))
	}
	if len(l.augmented) > 0 || len(former.augmented) > 0 {
		if is != was && !c.saysLost(w.hubNext, is).within(c.saysLost(w.hubNext, was)) {
			return wrong(was)
		}
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
	}
	if is != want {
		return wrong(want)
	}
	return nil
}

// proveExpressed checks of a hub object that was created through a version, and that nobody has
// edited since, that the version can express all of its spec.
func (c *chain) proveExpressed(l *link, h unsafe.Pointer) error {
	if original, known := c.original(h); !known || original != l.label || !c.tellsLost(h, l) {
		return nil
	}
	if lacks := c.saysLost(h, l.label); len(lacks) > 0 {
		return fmt.Errorf("%s: what was created through it is said to lack %s\nh is %s", l.label, lacks, describeUpTo(c.hub.store, h, 2000))
	}
	return nil
}

// saysLost returns what the runtime says that a version lacks of a hub's spec; nothing where the
// hub's type does not say it.
func (c *chain) saysLost(h unsafe.Pointer, label string) lostPlaces {
	h = c.hub.programs.store.copy(h)
	limited, may := at(c.hub.store, h).(interface{ Unexpressed() []string })
	spec, err := c.hub.programs.store.find("Spec")
	original, err2 := c.hub.programs.store.find("Spec.OriginalVersion")
	if !may || err != nil || err2 != nil {
		return nil
	}
	*(*string)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(h, spec.offset)), original.offset)) = label
	var out lostPlaces
	for _, path := range limited.Unexpressed() {
		out = append(out, separator+strings.NewReplacer(".", separator, "[", separator).Replace(path))
	}
	return out
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
