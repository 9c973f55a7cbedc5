package conformance

import (
	"strings"
	"unsafe"
)

// isBareButDerived reports whether nothing lies in the bags of a version's spec but what a
// hand-written step has made other properties of: entries with the name of a member that the step's
// version has at the place that it changes, or below, and the hub has not.
func (c *chain) isBareButDerived(l *link, s unsafe.Pointer) bool {
	spec, err := l.programs.store.find("Spec")
	if err != nil {
		return true
	}
	bare := true
	eachBag(spec.node, unsafe.Add(s, spec.offset), func(bag *map[string][]byte) {
		for key := range withoutCovers(*bag) {
			bare = bare && c.derived[keyName(key)]
		}
	})
	return bare
}

// keyName is the name of the property that a key of a bag stands for.
func keyName(key string) string {
	name, _, _ := strings.Cut(key, "@")
	return name
}

// derive notes the names of the members that a version has at places that a hand-written step
// changes, and below, where the hub has no such member there.
func (c *chain) derive(host *link, paths []string) {
	if c.derived == nil {
		c.derived = map[string]bool{}
	}
	for _, path := range paths {
		at, hub := host.programs.store.root, c.hub.programs.store.root
		for name := range strings.SplitSeq(lowered(path), ".") {
			if at = at.member(name); at == nil {
				break
			}
			hub = hub.member(name)
		}
		c.deriveAt(at, hub, map[*object]bool{})
	}
}

func (c *chain) deriveAt(at, hub *object, seen map[*object]bool) {
	if at == nil || seen[at] {
		return
	}
	seen[at] = true
	for i := range at.fields {
		f := &at.fields[i]
		if f.rare || f.hidden {
			continue
		}
		if hub == nil || !hub.has(f.tag) {
			c.derived[f.tag] = true
		}
		if inner, _ := objectIn(f.node); inner != nil {
			c.deriveAt(inner, hub.member(f.tag), seen)
		}
	}
}

// has reports whether an object has a member.
func (o *object) has(tag string) bool {
	for i := range o.fields {
		if o.fields[i].tag == tag || o.fields[i].inline && inlined(o, i).has(tag) {
			return true
		}
	}
	return false
}

// member returns the object that a member is, or has in it; nil where it has none.
func (o *object) member(tag string) *object {
	if o == nil {
		return nil
	}
	for i := range o.fields {
		switch f := &o.fields[i]; {
		case f.tag == tag:
			inner, _ := objectIn(f.node)
			return inner
		case f.inline:
			if inner := inlined(o, i); inner.has(tag) {
				return inner.member(tag)
			}
		}
	}
	return nil
}

func inlined(o *object, i int) *object {
	inner, _ := objectIn(o.fields[i].node)
	if inner == nil {
		return &object{}
	}
	return inner
}
