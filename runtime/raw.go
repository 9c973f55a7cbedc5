package runtime

import (
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// rawKey is the key under which a property bag keeps the value of a member that is of the wrong type in a version. A
// value that stands for a whole object is kept in that object's own bag, with no name before the @.
func rawKey(name, version string) string { return name + "@" + version + rawMark }

const rawMark = "!raw"

// rawName returns the member that an entry of a property bag is the raw value of, in a version.
func rawName(key, version string) (name string, ok bool) {
	name, ok = strings.CutSuffix(key, rawMark)
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, version)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, "@")
}

// raws puts the values that Decode took out of an API object into the storage object, each in the bag at its place.
func (r *restorer) raws(p *program, raws JSON, spec, status unsafe.Pointer) {
	c := cursor{data: raws}
	for ok := c.take('['); ok && c.more(']'); {
		one := cursor{data: c.raw()}
		if !one.take('[') {
			continue
		}
		place := cursor{data: one.raw()}
		one.take(',')
		value := one.raw()
		if !place.take('[') || value == nil {
			continue
		}
		switch root, _ := place.text(); {
		case root == "spec" && p.spec != nil:
			r.place(p.spec, spec, &place, value)
		case root == "status" && p.status != nil:
			r.place(p.status, status, &place, value)
		}
	}
}

// place puts a raw value into the bag at the end of a path, or the last but one where the path ends in a member.
func (r *restorer) place(s *shape, p unsafe.Pointer, path *cursor, value JSON) {
	s, p = s.reach(p)
	if p == nil || !s.carries {
		return
	}
	if !path.more(']') {
		r.keep(s, p, "", value)
		return
	}
	switch s.kind {
	case objectKind:
		r.placeMember(s, p, path, value)
	case listKind:
		if i := path.integer(); 0 <= i && i < int64(s.length(p)) {
			r.place(s.elem, s.element(p, int(i)), path, value)
		}
	case dictKind:
		r.placeEntry(s, p, path, value)
	}
}

func (r *restorer) placeMember(s *shape, p unsafe.Pointer, path *cursor, value JSON) {
	name, _ := path.text()
	if path.peek() == ']' {
		r.keep(s, p, name, value)
		return
	}
	if f := s.member(name); f != nil {
		r.place(f.shape, unsafe.Add(p, f.offset), path, value)
	} else if s.more != nil {
		s, p := s.more.shape, unsafe.Add(p, s.more.offset)
		s.edit(p, reflect.ValueOf(name), func(q unsafe.Pointer) { r.place(s.elem, q, path, value) })
	}
}

func (r *restorer) placeEntry(s *shape, p unsafe.Pointer, path *cursor, value JSON) {
	key, _ := path.text()
	s.edit(p, reflect.ValueOf(key), func(q unsafe.Pointer) { r.place(s.elem, q, path, value) })
}

func (r *restorer) keep(s *shape, p unsafe.Pointer, name string, value JSON) {
	if s.kind == objectKind && s.hasBag {
		s.bagAt(p).put(rawKey(name, r.version), value)
	}
}

// step is one step of a path: a member or a key, or the index of an element where index is not negative.
type step struct {
	name  string
	index int
}

func member(name string) step { return step{name: name, index: -1} }

// path is the place of a value in an object.
type path []step

// String spells a path as in spec.phones[2].number.
func (p path) String() string {
	var out strings.Builder
	for i, s := range p {
		switch {
		case s.index >= 0:
			out.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i > 0:
			out.WriteString("." + s.name)
		default:
			out.WriteString(s.name)
		}
	}
	return out.String()
}

// append appends a path as JSON, as a bag has it.
func (p path) append(out []byte) []byte {
	out = append(out, '[')
	for i, s := range p {
		if i > 0 {
			out = append(out, ',')
		}
		if s.index >= 0 {
			out = strconv.AppendInt(out, int64(s.index), 10)
		} else {
			out = appendText(out, s.name)
		}
	}
	return append(out, ']')
}
