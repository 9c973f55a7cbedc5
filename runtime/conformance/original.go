package conformance

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// proveOriginal checks the original version after a write. If users changed the visible spec, it
// must become the version of the write. It must not if the former version can represent a value
// that the new one lacks. An edit must never reduce the values that the operator sends to the
// external API.
//
// If hand-written steps derive values, the law cannot determine which values a version lacks, and
// uses the runtime's answer. In bags of versions beyond such a step, a value may be missing from
// which the step derived others. Then proveOriginal requires only what holds in both cases.
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
	wrong := func(want string) error {
		return fmt.Errorf("the original version was %q and is %q, not %q\nh is %s", was, is, want,
			describeUpTo(c.hub.store, w.hubNext, 2000))
	}
	if len(l.augmented) > 0 || len(former.augmented) > 0 {
		if is != was && !c.lostBy(w.hubNext, is).within(c.lostBy(w.hubNext, was)) {
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

// proveExpressed checks that a version can represent all of the spec of an object that was
// created through it and not edited since.
func (c *chain) proveExpressed(l *link, h unsafe.Pointer) error {
	if original, known := c.original(h); !known || original != l.label {
		return nil
	}
	if lacks := c.lostBy(h, l.label); len(lacks) > 0 {
		return fmt.Errorf("%s: an object that was created through it is reported to lack %s\nh is %s", l.label, lacks, describeUpTo(c.hub.store, h, 2000))
	}
	return nil
}

// lostBy returns the paths of a hub's spec that a version lacks according to the runtime. It
// returns nil if the hub's type does not report them.
func (c *chain) lostBy(h unsafe.Pointer, label string) lostPaths {
	h = c.hub.programs.store.copy(h)
	limited, may := at(c.hub.store, h).(interface{ Unexpressed() []string })
	spec, err := c.hub.programs.store.find("Spec")
	original, err2 := c.hub.programs.store.find("Spec.OriginalVersion")
	if !may || err != nil || err2 != nil {
		return nil
	}
	*(*string)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(h, spec.offset)), original.offset)) = label
	var out lostPaths
	for _, path := range limited.Unexpressed() {
		out = append(out, separator+strings.NewReplacer(".", separator, "[", separator).Replace(path))
	}
	return out
}

// original returns the original version of a hub object, and whether the object has a spec.
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

// sameLook reports whether two storage objects have the same visible spec, apart from empty and
// zero values.
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

// look returns the visible spec, without the original version and the member that the scale
// subresource writes.
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
	return jsonText(telling(viewOf(of), value))
}
