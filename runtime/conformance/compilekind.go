package conformance

import (
	"fmt"
	"reflect"
)

// compile compiles the types of all versions.
func (k Versions) compile() (*chain, error) {
	c := &chain{resource: k.resource, json: k.json, own: k.own, narrow: k.narrow, refused: k.refused, encoder: newEncoder(), pairs: map[[2]*link]int{}}
	c.visible = true
	byType := map[reflect.Type]*link{}
	for _, v := range k.versions {
		l, err := newLink(v, k.own)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.label, err)
		}
		c.links = append(c.links, l)
		byType[v.store] = l
	}
	if _, err := k.hub(); err != nil {
		return nil, err
	}
	c.nameFurthers()
	retyped := k.retyped()
	for _, l := range c.links {
		if l.api != nil {
			retyped.mark(l.programs.api.root, map[*object]bool{})
		}
	}
	for _, l := range c.links {
		for _, other := range c.links {
			if l.api != nil {
				other.programs.store.keepSpec(l.api)
			}
		}
	}
	for _, l := range c.links {
		switch {
		case l.KindVersion.next == nil:
			c.hub = l
		case byType[l.KindVersion.next] == nil:
			return nil, fmt.Errorf("%s: its neighbour %v is of no version", l.label, l.KindVersion.next)
		default:
			l.next = byType[l.KindVersion.next]
		}
	}
	return c, c.prepare(k.augmented)
}

func newLink(v KindVersion, own bool) (*link, error) {
	l := &link{KindVersion: v}
	var err error
	if l.programs.store, err = compile(v.store); err != nil {
		return nil, err
	}
	if original, err := l.programs.store.find("Spec.OriginalVersion"); err == nil {
		original.hidden = true
	}
	if v.api == nil {
		return l, nil
	}
	if l.programs.api, err = compileFor(v.api, own); err != nil {
		return nil, err
	}
	l.programs.api.keepSpec(v.api)
	l.status, _ = l.programs.api.find("Status")
	if l.bag, _ = l.programs.api.find(statusBag); l.bag != nil {
		l.bag.ignored = true
		l.bagAt = bagOffset(v.api)
	}
	l.atlas = newAtlas(l.programs.api)
	l.targets = l.atlas.targets()
	return l, nil
}

// prepare sets the fields of the links that depend on the whole chain.
func (c *chain) prepare(augmented []augmentation) error {
	for _, l := range c.links {
		if l.api != nil {
			l.alone = l.parts(c.hub)
		}
	}
	for _, a := range augmented {
		host := c.link(a.label)
		if host == nil {
			return fmt.Errorf("augmented version %s is none of %s", a.label, c.resource)
		}
		c.derive(host, a.paths)
		for _, l := range c.links {
			if l.api != nil && l.passes(host) {
				l.augment(host, a)
				c.derive(l, l.augmented) // a key may be the name that a property has there
			}
		}
	}
	return nil
}

// nameFurthers sets, in open objects, the properties that other versions name in objects of the
// same type name.
func (c *chain) nameFurthers() {
	named := map[string][]further{}
	for _, l := range c.links {
		if l.api != nil {
			collectFurthers(named, l.api, map[reflect.Type]bool{})
		}
	}
	c.named = map[string]bool{}
	for _, all := range named {
		for _, f := range all {
			c.named[f.name] = true
		}
	}
	for _, l := range c.links {
		if l.api != nil {
			l.programs.api.root.nameFurthers(named, map[node]bool{})
		}
	}
}
