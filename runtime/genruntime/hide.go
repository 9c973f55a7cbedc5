package genruntime

import (
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
)

// ScaledHider is a Hider that the scale subresource writes to.
type ScaledHider interface {
	runtime.Hider
	// SpecReplicasPath is the CRD's specReplicasPath, as in .spec.replicas. It is the same for all objects of a type.
	SpecReplicasPath() string
}

// Hide puts what dst cannot show of a storage object into dst's status.propertyBag. Dst has been converted from that
// object, metadata included; spec and status are pointers to the storage types of dst's own version, and may be nil.
// ConvertFromStorage of generated roots ends in it.
//
// Hidden are property bags, at whatever place, and an original version other than dst's. Where there is neither, dst
// has no bag; that case costs no memory. The same storage object, with the same metadata, always gives the same bytes.
//
// The bag is a JSON object. Members stand sorted, and only where they say something:
//
//	declared         who had declared this very version when the object was read: "last-applied" for the
//	                 annotation, "apply:" and the manager for an Apply entry that owns spec
//	fingerprints     the version of the fingerprints
//	format           1
//	noStatus         true, if there was no status
//	originalVersion  the original version, if it was another one; with it,
//	shown            the fingerprint of the spec, without bags
//	raw              values of the wrong type that [Decode] took out: {"spec": hidden, "status": hidden}, in the form of
//	                 what is hidden, where the elements of lists stand by their indices alone
//	spec, status     what is hidden in them
//
// What is hidden in an object is {"bag": its entries, "in": {member: ...}, "more": {additional member: ...}}; in a map
// {"in": {key: ...}}; in a list whose elements have a list key {"in": [[index, key, ...]], "keyed": true}; in any other
// list {"all": fingerprints of all elements, "by": a member that names the elements, "in": [[index, ...]], "keys":
// fingerprints of that member, "leaves": half a fingerprint for every scalar of every element}. Fingerprints are
// big endian, in base64 without padding, one behind the other. A list with more than 65536 leaves is without leaves, and
// so is one within eight others.
func Hide(dst runtime.Hider, spec, status any) {
	counting.Count(string(runtime.WholeObject))
	hide(dst, spec, status)
}

// hide stores what dst cannot show of a storage object in the status bag of dst.
func hide(dst runtime.Hider, spec, status any) {
	p := programOf(dst, pointee(spec, 1), pointee(status, 1))
	from, state := target(spec), target(status)
	foreign := p.isForeign(from)
	if !foreign && !hides(p.spec, from) && !hides(p.status, state) {
		return
	}
	w := writers.Get().(*writer)
	defer w.done()
	w.out = append(w.out[:0], '{')
	w.printer.reset()
	w.printer.notes, w.printer.collects = true, true
	if foreign {
		w.declared(p.declared(dst))
	}
	w.member(`"fingerprints":`).integer(fingerprint.Version)
	w.member(`"format":`).integer(bagFormat)
	if state == nil {
		w.member(`"noStatus":true`)
	}
	if foreign {
		w.member(`"originalVersion":`).text(*p.originalAt(from))
		w.member(`"shown":`).prints(p.shown(from, &w.printer))
	}
	wrote := w.part(`"spec":`, p.spec, from)
	if wrote = w.part(`"status":`, p.status, state) || wrote; !wrote && !foreign {
		return
	}
	bag := string(append(w.out, '}'))
	dst.SetStatusBag(&bag)
}

// bagFormat is the format of the bag that this package writes, and the only one that it reads.
const bagFormat = 1

// maxLeaves is how many leaves the elements of one list may have together.
const maxLeaves = 1 << 16

// maxLeafLists is how many lists within each other have leaves: each of them has those of all lists within.
const maxLeafLists = 8

// hides reports whether a property bag with entries is somewhere in what p points to. It visits only what can have one.
func hides(s *shape, p unsafe.Pointer) bool {
	if p == nil || s == nil {
		return false
	}
	switch s.kind {
	case pointerKind:
		return hides(s.elem, *(*unsafe.Pointer)(p))
	case objectKind:
		return hidesMember(s, p)
	case listKind:
		return hidesElement(s, p)
	case dictKind:
		return hidesEntry(s, p)
	default:
		return false
	}
}

func hidesMember(s *shape, p unsafe.Pointer) bool {
	if s.hasBag && len(*s.bagAt(p)) > 0 {
		return true
	}
	for i := range s.carriers {
		f := &s.carriers[i]
		q := unsafe.Add(p, f.offset)
		// All that carry begin with a pointer, but for objects that lie within.
		if (f.shape.kind == objectKind || *(*unsafe.Pointer)(q) != nil) && hides(f.shape, q) {
			return true
		}
	}
	return false
}

func hidesElement(s *shape, p unsafe.Pointer) bool {
	for i := range s.length(p) {
		if hides(s.elem, s.element(p, i)) {
			return true
		}
	}
	return false
}

func hidesEntry(s *shape, p unsafe.Pointer) bool {
	if *(*unsafe.Pointer)(p) == nil {
		return false
	}
	e := s.take(p)
	defer s.give(e)
	for e.next() {
		if hides(s.elem, e.address()) {
			return true
		}
	}
	return false
}

// GetBag returns the bag of a status; nil where there is no status.
func GetBag[T any, P bagPointer[T]](status P) *string {
	if status == nil {
		return nil
	}
	return *status.Bag()
}

// SetBag sets the bag of a status, which is made if it must be.
func SetBag[T any, P bagPointer[T]](status *P, bag *string) {
	if *status == nil && bag != nil {
		*status = new(T)
	}
	if *status != nil {
		*(*status).Bag() = bag
	}
}

type bagPointer[T any] interface {
	*T
	Bag() **string
}
