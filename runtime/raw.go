package runtime

import (
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

// elementsKey is the key under which a property bag keeps the elements of a list, or the values of a map, that should be
// objects and are not: what a listMisfits is.
func elementsKey(name, version string) string { return name + "@" + version + elementsMark }

const elementsMark = "!elements" + rawMark

// ownKey returns the member that an entry of a property bag belongs to, if it is of the misfits of a version. Elements is set
// where it is of elements of that member.
func ownKey(key, version string) (name string, elements, own bool) {
	if of, ok := strings.CutSuffix(key, elementsMark); ok {
		if of, ok = strings.CutSuffix(of, version); ok {
			name, own = strings.CutSuffix(of, "@")
			return name, true, own
		}
	}
	name, own = rawName(key, version)
	return name, false, own
}

// raws puts the values that Decode took out of an API object into the storage object, each in the bag at its place.
func (r *restorer) raws(p *program, raws JSON, spec, status unsafe.Pointer) {
	r.raw = true
	defer func() { r.raw = false }()
	eachMember(raws, func(section []byte, node JSON) {
		switch string(section) {
		case "spec":
			r.part(p.spec, spec, node)
		case "status":
			r.part(p.status, status, node)
		}
	})
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
