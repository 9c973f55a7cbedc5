package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// statusBag is the field of API types in which an old version keeps what it cannot show.
const statusBag = "Status.PropertyBag"

// chain is a kind while its laws are proved.
type chain struct {
	resource string
	links    []*link
	hub      *link
	// pairs counts the versions that read and wrote what another had written.
	pairs map[[2]*link]int
	// own means that people wrote the API types.
	own bool
	// json converts objects' JSON; nil if nothing does.
	json func(version string, up bool, object []byte) ([]byte, bool)
	// named are the properties of all versions.
	named map[string]bool
	// derived are the names of members that hand-written steps make other properties of.
	derived map[string]bool
	// proving is the law at hand.
	proving law
	drawer
	encoder
}

// link is a version in a chain.
type link struct {
	KindVersion
	programs struct{ api, store *program }
	next     *link
	places   *atlas
	targets  []*place
	// augmented are the places, on the way from here to the hub, from which hand-written steps
	// derive others.
	augmented []string
	// completed means that a step converts a property that the version has.
	completed bool
	// status and bag are where an API object has its status, and the status its bag; nil if it has
	// none. The bag lies at bagAt of the status.
	status, bag *field
	bagAt       uintptr
	// alone converts the hub's spec and status by themselves.
	alone []part
}

// part is a conversion of the spec or the status of the hub alone.
type part struct {
	name     string
	api, hub *field
	convert  reflect.Value
}

// compile makes the programs of all types.
func (k Versions) compile() (*chain, error) {
	c := &chain{resource: k.resource, json: k.json, own: k.own, encoder: newEncoder(), pairs: map[[2]*link]int{}}
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
	l.places = newAtlas(l.programs.api)
	l.targets = l.places.targets()
	return l, nil
}

// prepare links what needs the whole chain.
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

func (c *chain) link(label string) *link {
	for _, l := range c.links {
		if l.label == label {
			return l
		}
	}
	return nil
}

// passes reports whether a version is another, or that one lies on its way to the hub.
func (l *link) passes(other *link) bool {
	for at := l; at != nil; at = at.next {
		if at == other {
			return true
		}
	}
	return false
}

// augment notes the nearest places that a version has of those paths. Clients of the host do not
// see a place in its bags, and edit nothing there.
func (l *link) augment(host *link, a augmentation) {
	l.completed = l.completed || l == host && !a.inBag
	if l == host && a.inBag {
		return
	}
	known := map[string]bool{}
	for _, pl := range l.places.all {
		known[pl.path] = true
	}
	isKnown := func(path string) bool { return known[path] || known[strings.TrimRight(path, "[]{}")] }
	for _, path := range a.paths {
		l.completed = l.completed || isKnown(path)
		for path != "" && !isKnown(path) {
			path = parentOf(path)
		}
		l.augmented = append(l.augmented, lowered(path))
	}
}

func parentOf(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '.'))]
}

// lowered returns a path without what tells lists and maps.
func lowered(path string) string { return strings.NewReplacer("[]", "", "{}", "").Replace(path) }

// derived returns how many fields lead to the object from which a hand-written step derives others
// when the place at the first fields on the way to another is edited; 0 if none does.
func (l *link) derived(to *place, fields int) int {
	names := strings.Split(lowered(to.path), ".") // further members of open objects have none
	path := strings.Join(names[:min(fields, len(names))], ".")
	for _, augmented := range l.augmented {
		switch {
		case path == augmented || strings.HasPrefix(path, augmented+"."):
			return strings.Count(augmented, ".") + 1
		case strings.HasPrefix(augmented, path+"."):
			return fields
		}
	}
	return 0
}

// parts finds the methods that convert the spec and the status of the hub alone.
func (l *link) parts(hub *link) []part {
	var parts []part
	for _, name := range [...]string{"Spec", "Status"} {
		own, err := l.programs.api.find(name)
		other, err2 := hub.programs.store.find(name)
		if err != nil || err2 != nil {
			continue
		}
		inner, ok := own.node.(*pointer)
		if !ok {
			continue // within the root; people wrote it
		}
		method, ok := inner.of.MethodByName("Convert" + name + "From")
		if !ok || method.Type.NumIn() != 2 || !other.node.(*pointer).of.AssignableTo(method.Type.In(1)) {
			continue
		}
		parts = append(parts, part{name, own, other, method.Func})
	}
	return parts
}

// from makes an API object what a part of a hub object is.
func (p part) from(hub unsafe.Pointer) (value unsafe.Pointer, err error) {
	n := p.api.node.(*pointer)
	value = n.slab.take(1)
	result := p.convert.Call([]reflect.Value{
		reflect.NewAt(n.slab.of, value),
		reflect.NewAt(p.hub.node.(*pointer).of, unsafe.Add(hub, p.hub.offset)).Elem(),
	})[0]
	err, _ = result.Interface().(error)
	return value, err
}

// The conversions of a version. Each returns a new object.

func (l *link) up(c *chain, a unsafe.Pointer) (unsafe.Pointer, error) {
	h := c.hub.programs.store.slab.take(1)
	return h, l.named("ConvertTo", l.convertTo(at(l.api, a), at(c.hub.store, h)))
}

func (l *link) down(c *chain, h unsafe.Pointer) (unsafe.Pointer, error) {
	a := l.programs.api.slab.take(1)
	return a, l.named("ConvertFrom", l.convertFrom(at(l.api, a), at(c.hub.store, h)))
}

func (l *link) toOwn(a unsafe.Pointer) (unsafe.Pointer, error) {
	s := l.programs.store.slab.take(1)
	return s, l.named("ConvertToStorage", l.toStorage(at(l.api, a), at(l.store, s)))
}

func (l *link) fromOwn(s unsafe.Pointer) (unsafe.Pointer, error) {
	a := l.programs.api.slab.take(1)
	return a, l.named("ConvertFromStorage", l.fromStorage(at(l.api, a), at(l.store, s)))
}

// climb converts a storage object to the hub, step by step.
func (l *link) climb(s unsafe.Pointer) (unsafe.Pointer, error) {
	if l.next == nil {
		return s, nil
	}
	n := l.next.programs.store.slab.take(1)
	if err := l.named("step to "+l.next.label, l.stepTo(at(l.store, s), at(l.next.store, n))); err != nil {
		return nil, err
	}
	return l.next.climb(n)
}

// descend converts a hub object to a version's storage object, step by step.
func (l *link) descend(h unsafe.Pointer) (unsafe.Pointer, error) {
	if l.next == nil {
		return h, nil
	}
	n, err := l.next.descend(h)
	if err != nil {
		return nil, err
	}
	s := l.programs.store.slab.take(1)
	return s, l.named("step from "+l.next.label, l.stepFrom(at(l.next.store, n), at(l.store, s)))
}

func (l *link) named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", l.label, what, err)
}

// bagOf returns where an API object has its bag, nil if it has no status.
func (l *link) bagOf(a unsafe.Pointer) **string {
	if l.bag == nil {
		return nil
	}
	status := l.statusOf(a)
	if status == nil {
		return nil
	}
	return (**string)(unsafe.Add(status, l.bagAt))
}

// statusOf returns where the status of an API object lies, nil if it has none.
func (l *link) statusOf(a unsafe.Pointer) unsafe.Pointer {
	at := unsafe.Add(a, l.status.offset)
	if _, ok := l.status.node.(*pointer); ok {
		return *(*unsafe.Pointer)(at)
	}
	return at
}

// bagOffset is where a status has its bag, which may lie in a struct that it embeds.
func bagOffset(api reflect.Type) (offset uintptr) {
	status, _ := api.FieldByName("Status")
	of := status.Type
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	bag, _ := of.FieldByName("PropertyBag")
	for _, i := range bag.Index {
		offset += of.Field(i).Offset
		of = of.Field(i).Type
	}
	return offset
}

// through returns what an object is after it has been written and read as JSON.
func (c *chain) through(p *program, object unsafe.Pointer) (unsafe.Pointer, error) {
	return c.encoder.through(p, object, json.Unmarshal)
}

// settled returns an object of an API version as it is once it was JSON, where people wrote its
// type.
func (c *chain) settled(l *link, object unsafe.Pointer) (unsafe.Pointer, error) {
	if !c.own {
		return object, nil
	}
	return c.through(l.programs.api, object)
}

func (e *encoder) through(p *program, object unsafe.Pointer, decode func([]byte, any) error) (unsafe.Pointer, error) {
	data, err := e.encode(at(p.of, object))
	if err != nil {
		return nil, fmt.Errorf("write %v: %w", p.of, err)
	}
	read := p.slab.take(1)
	if err := decode(data, at(p.of, read)); err != nil {
		return nil, fmt.Errorf("read %v from %s: %w", p.of, shorten(string(data), 1000), err)
	}
	return read, nil
}
