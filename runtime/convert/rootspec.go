package convert

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// gatherRoot writes the object that the text begins with to gathered. There it has a spec with
// the members that were at the root, as plans require.
func (e *edit) gatherRoot() bool {
	e.gathered = e.gathered[:0]
	if !e.Take('{') {
		return e.mismatch(e.At)
	}
	if !e.enter() {
		return false
	}
	e.gathered = append(e.gathered, '{')
	var few [32]jsontext.Span
	spec, ok := few[:0], false
	for another := !e.Take('}'); another; {
		if spec, ok = e.gather(spec); !ok {
			return false
		}
		if another, ok = e.Follows('}'); !ok {
			return e.cutOr(NotJSON)
		}
	}
	e.leave()
	e.length = e.At
	e.gathered = append(e.gathered, `"spec":{`...)
	for i, member := range spec {
		if i > 0 {
			e.gathered = append(e.gathered, ',')
		}
		e.gathered = append(e.gathered, e.Data[member.Start:member.End]...)
	}
	e.gathered = append(e.gathered, "}}"...)
	return true
}

// gather writes a member to gathered, or adds its span to those of the spec.
func (e *edit) gather(spec []jsontext.Span) ([]jsontext.Span, bool) {
	e.Peek()
	start := e.At
	name, ok := e.plainName()
	if !ok || !e.skip() {
		return spec, false
	}
	if jsontext.Beside[string(name)] {
		e.gathered = append(append(e.gathered, e.Data[start:e.At]...), ',')
		return spec, true
	}
	return append(spec, jsontext.Span{Start: start, End: e.At}), true
}

// spreadRoot is gatherRoot in the other direction, for the object in out.
func (r *run) spreadRoot() {
	spec, _ := jsontext.MembersNamed(r.out[r.base:], "spec")
	start, inner, end := r.base+spec.Start, r.base+spec.Value+1, r.base+spec.End
	switch {
	case spec.End == 0:
	case len(bytes.TrimSpace(r.out[inner:end-1])) == 0:
		start, end = jsontext.WithComma(r.out, start, end)
		r.out = slices.Delete(r.out, start, end)
	default:
		r.out = slices.Delete(r.out, end-1, end)
		r.out = slices.Delete(r.out, start, inner)
	}
}
