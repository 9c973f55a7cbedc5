package convert

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// withoutNote writes metadata without the annotation that holds what the version cannot show, which
// becomes the bag on the way up; an object that comes down has none of its own. It refuses what
// says the same twice.
func (r *run) withoutNote() bool {
	all, ok := jsontext.MembersNamed(r.meta, "annotations")
	if !ok {
		return r.refuse(DamagedStatusBag)
	}
	notes := r.meta[all.Value:all.End]
	note, ok := jsontext.MembersNamed(notes, runtime.BagAnnotation)
	switch {
	case !ok:
		return r.refuse(DamagedStatusBag)
	case note.End == 0:
		r.out = append(r.out, r.meta...)
		return true
	case !r.way.up || notes[note.Value] != '"':
		return r.refuse(DamagedStatusBag)
	}
	r.statusBag = notes[note.Value:note.End]
	if note.Alone {
		all.Start, all.End = jsontext.WithComma(r.meta, all.Start, all.End)
		r.out = append(append(r.out, r.meta[:all.Start]...), r.meta[all.End:]...)
		return true
	}
	from, to := jsontext.WithComma(notes, note.Start, note.End)
	r.out = append(append(r.out, r.meta[:all.Value+from]...), r.meta[all.Value+to:]...)
	return true
}

// setNote writes the bag to an annotation.
func (r *run) setNote(bag string) bool {
	meta, at := jsontext.MemberAt(r.out[r.base:], "metadata")
	at += r.base
	all, ok := jsontext.MembersNamed(meta, "annotations")
	notes := meta[all.Value:all.End]
	note := append(jsontext.AppendText(nil, runtime.BagAnnotation), ':')
	note = jsontext.AppendText(note, bag)
	switch {
	case !ok || all.End > 0 && notes[0] != '{':
		return r.refuse(DamagedStatusBag)
	case all.End == 0:
		note = append(append([]byte(`"annotations":{`), note...), '}')
		r.insertFirst(at, meta, note)
	default:
		r.insertFirst(at+all.Value, notes, note)
	}
	return true
}

// insertFirst puts a member in front of all others of an object, which begins there.
func (r *run) insertFirst(at int, object, member []byte) {
	c := jsontext.Cursor{Data: object}
	if c.Take('{'); c.Peek() != '}' {
		member = append(member, ',')
	}
	r.insert(at+1, member)
}

// gatherRoot writes the object that the text begins with to gathered, as plans know it: with the
// members that stand at its root in a spec.
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

// gather writes a member to gathered, or adds it to those of the spec.
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

// spreadRoot is the way back of gatherRoot, in what was written.
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
