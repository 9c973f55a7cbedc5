package conformance

import (
	"fmt"
	"reflect"
	"unsafe"
)

// chain is a kind while its laws are proved.
type chain struct {
	resource string
	links    []*link
	hub      *link
	// pairs counts the versions that read and wrote what another had written.
	pairs map[[2]*link]int
	// own is set if the author wrote the API types.
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
	// augmented are the places from which hand-written steps between here and the hub derive
	// others.
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

// link returns the version with a label, nil if there is none.
func (c *chain) link(label string) *link {
	for _, l := range c.links {
		if l.label == label {
			return l
		}
	}
	return nil
}

// written are the versions that users write.
func (c *chain) written() []*link {
	var written []*link
	for _, l := range c.links {
		if l.api != nil && len(l.targets) > 0 {
			written = append(written, l)
		}
	}
	return written
}

// others returns some other versions, in turns so that all come.
func (c *chain) others(l *link, round uint64, most int) []*link {
	written := c.written()
	var others []*link
	for i := range min(most, len(written)) {
		other := written[(round*uint64(most)+uint64(i))%uint64(len(written))]
		if other != l {
			others = append(others, other)
		}
	}
	return others
}

// passes reports whether a version is another one, or the other one lies between it and the hub.
func (l *link) passes(other *link) bool {
	for at := l; at != nil; at = at.next {
		if at == other {
			return true
		}
	}
	return false
}

// named adds the version and the conversion to an error.
func (l *link) named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", l.label, what, err)
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
			continue // within the root of an author's type
		}
		method, ok := inner.of.MethodByName("Convert" + name + "From")
		if !ok || method.Type.NumIn() != 2 || !other.node.(*pointer).of.AssignableTo(method.Type.In(1)) {
			continue
		}
		parts = append(parts, part{name, own, other, method.Func})
	}
	return parts
}

// from converts a part of a hub object to a new part of an API object.
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
