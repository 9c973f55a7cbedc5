package convert

import (
	"bytes"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
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
	bag, written := w.Bag(&h, p.Spec, p.Status, spec, status, r.longMembers(spec))
	switch {
	case w.Repeats():
		return r.refuse(RepeatedMember)
	case hides && !written && !foreign:
		return r.refuse(UnclearBag)
	case hides: // also property bags without entries
		r.strip(w, spec, status)
	}
	if r.direction.annotation {
		return r.setBagAnnotation(jsontext.Borrow(bag))
	}
	r.setBag(jsontext.Borrow(bag))
	return true
}

// longMembers returns the ends of the long members of the spec in the result, and nil if they are
// not known.
func (r *run) longMembers(spec []byte) *jsontext.Jumps {
	if r.changed > 0 || len(r.long) == 0 || spec == nil {
		return nil
	}
	return jsontext.JumpsOf(spec, r.spec.end-len(spec), r.long)
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

// strip removes the property bags, which w has written. The result is never longer than the source,
// so that strip can overwrite it.
func (r *run) strip(w *hidden.JSONWriter, spec, status []byte) {
	type part struct {
		section
		text     []byte
		isStatus bool
	}
	was, out, at := r.out, r.out[:r.base], r.base
	first, second := part{r.spec, spec, false}, part{r.status, status, true}
	if second.start < first.start {
		first, second = second, first
	}
	for _, in := range [2]part{first, second} {
		if in.end == 0 {
			continue
		}
		out = w.WithoutBags(append(out, was[at:in.end-len(in.text)]...), in.isStatus)
		if at = in.end; in.isStatus {
			r.status.end = len(out) // the position of the bag
		}
	}
	r.out = append(out, was[at:]...)
}
