package convert

import (
	"bytes"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// hide writes status.propertyBag, or the annotation in its place, with the result that
// genruntime.Hide has.
func (r *run) hide() bool {
	p := r.direction.program
	// A declared change, or a later step, may have removed the bags that were written before.
	unsure := r.bags || r.changed > 0
	hides := r.bagged && !unsure || (r.bagged || r.bags) && bag.MayHaveBags(r.out[r.base:])
	original := ""
	if r.originalText != nil {
		original = string(jsontext.Unquoted(r.originalText))
	}
	foreign := r.seen&sawSpec != 0 && p.HasOriginal && original != p.Kind.Version
	if !foreign && !hides {
		return true
	}
	if hides && !r.isModest() || !r.allows(!bytes.Contains(r.out[r.base:], rawBytes), RawValues) {
		return false
	}
	spec, status := r.text(r.spec, `"spec":`), r.text(r.status, `"status":`)
	h := hidden.Header{NoStatus: r.seen&sawStatus == 0, Foreign: foreign, Original: original}
	if foreign {
		visible, ok := hidden.VisibleInJSON(p.Spec, spec, p.Replicas)
		if !r.allows(ok, RepeatedMember) {
			return false
		}
		h.Declared, h.Visible = p.DeclaredIn(r.meta), visible
	}
	w := hidden.NewJSONWriter()
	defer w.Done()
	if !hides {
		spec, status = nil, nil
	}
	bag, written := w.Bag(&h, p.Spec, p.Status, spec, status)
	switch {
	case w.Repeats():
		return r.refuse(RepeatedMember)
	case hides && !written && !foreign:
		return r.refuse(UnclearBag)
	case hides: // also property bags without entries
		r.strip(spec, status)
	}
	if r.direction.annotation {
		return r.setBagAnnotation(jsontext.Borrow(bag))
	}
	r.setBag(jsontext.Borrow(bag))
	return true
}

// text returns the JSON of a section in out, and nil if there is none.
func (r *run) text(at section, name string) []byte {
	if at.end == 0 {
		return nil
	}
	return r.out[at.start+len(name) : at.end]
}

// setBag writes status.propertyBag, and a status if there is none.
func (r *run) setBag(bag string) {
	if r.seen&sawStatus == 0 {
		r.insert(len(r.out)-1, []byte(`,"status":{}`))
		r.status.end = len(r.out) - 1
	}
	r.insertMember(r.status.end-1, `"propertyBag":`, bag)
}

// strip removes the property bags. The result is never longer than the source, so that strip can
// overwrite it.
func (r *run) strip(spec, status []byte) {
	p, was := r.direction.program, r.out
	first, second := r.spec, r.status
	shapes, texts := [2]*shape.Shape{p.Spec, p.Status}, [2][]byte{spec, status}
	if second.start < first.start {
		first, second = second, first
		shapes[0], shapes[1] = shapes[1], shapes[0]
		texts[0], texts[1] = texts[1], texts[0]
	}
	out, at := r.out[:r.base], r.base
	for i, in := range [2]section{first, second} {
		if in.end == 0 {
			continue
		}
		start := in.end - len(texts[i])
		out = append(out, was[at:start]...)
		out = hidden.WithoutBags(out, shapes[i], was[start:in.end])
		if at = in.end; shapes[i] == p.Status {
			r.status.end = len(out) // the position of the bag
		}
	}
	r.out = append(out, was[at:]...)
}
