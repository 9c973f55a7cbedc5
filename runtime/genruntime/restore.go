package genruntime

import (
	"reflect"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
)

// Restore is the way back of [Hide]: it puts what src's status.propertyBag holds into a storage object that has just
// been converted from src. Spec and status are pointers to the root's pointers, as in &dst.Spec, of the storage types
// of src's own version; what they point to must be of this conversion alone, because Restore completes it in place.
// ConvertToStorage of generated roots ends in it.
//
// Live values win: Restore adds entries to property bags where there is none of the key, and does nothing else but to
// settle the original version and to take away a status that was made to carry the bag. What is hidden in an object that
// is gone is gone. In maps, values are found by key; in lists by list key, else by name or id where all elements, as
// they were and as they are, have one of their own, else by alignment of all elements; see align.
//
// The original version stays what it was, unless the spec that is shown changed, or this version was declared anew in
// the last-applied annotation or by an Apply entry that owns spec. Then it is this version, or, if the storage object
// has what this version cannot express, undecided until [Settle].
//
// A bag that cannot be read is dropped, which the [runtime.Observer] is told; what is no longer known in it is passed over.
func Restore(src runtime.Hider, spec, status any) {
	counting.Count(string(runtime.WholeObject))
	restore(src, spec, status)
}

// restore puts what the status bag of src holds into the storage object that was converted from src,
// and settles the original version as far as a version alone can.
func restore(src runtime.Hider, spec, status any) {
	bag := src.StatusBag()
	if bag == nil {
		return
	}
	p := programOf(src, pointee(spec, 2), pointee(status, 2))
	h, err := readHidden(*bag)
	if err != nil {
		runtime.Report(p.event(src, runtime.BagDropped, statusBag, err))
		return
	}
	from, state := pointed(spec), pointed(status)
	r := restorers.Get().(*restorer)
	defer r.done()
	r.version, r.trusts = p.kind.Version, h.fingerprints == fingerprint.Version
	shown := uint64(0)
	if h.original != nil && from != nil {
		r.prints.notes = true
		shown = p.shown(from, &r.prints)
	}
	r.raws(h.raw, p.spec, p.status, from, state) // these are live
	r.part(p.spec, from, h.spec)
	r.part(p.status, state, h.status)
	if h.noStatus && state != nil && reflect.NewAt(p.status.of, state).Elem().IsZero() {
		*(*unsafe.Pointer)(target(status)) = nil
	}
	p.restoreOriginal(src, &h, shown, from)
}

func (p *program) event(root runtime.Hider, what runtime.Occurrence, path string, err error) runtime.Event {
	return runtime.Event{What: what, Kind: p.kind, Namespace: root.GetNamespace(), Name: root.GetName(), Path: path, Err: err}
}

// pointed returns the pointer that a pointer points to.
func pointed(pointer any) unsafe.Pointer {
	p := target(pointer)
	if p == nil {
		return nil
	}
	return *(*unsafe.Pointer)(p)
}
