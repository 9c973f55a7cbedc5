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
		return false
	}
	notes := r.meta[all.Value:all.End]
	note, ok := jsontext.MembersNamed(notes, runtime.BagAnnotation)
	switch {
	case !ok:
		return false
	case note.End == 0:
		r.out = append(r.out, r.meta...)
		return true
	case !r.way.up || notes[note.Value] != '"':
		return false
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
		return false
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

// gatherRoot appends the object that text begins with as plans know it, with the members that stand
// at its root in a spec. It tells how long the object is; zero where it is none, or nested deeper
// than depth.
func gatherRoot(dst, text []byte, depth int) (gathered []byte, length int) {
	c := jsontext.Cursor{Data: text}
	if depth < 2 || !c.Take('{') {
		return dst, 0
	}
	dst = append(dst, '{')
	var few [32]jsontext.Span
	spec := few[:0]
	for another := !c.Take('}'); another; {
		c.Peek()
		start := c.At
		if c.Peek() != '"' || !c.SkipText() {
			return dst, 0
		}
		name := c.Data[start+1 : c.At-1]
		if bytes.IndexByte(name, '\\') >= 0 || !c.Take(':') || !c.Skip(depth-1) {
			return dst, 0
		}
		if jsontext.Beside[string(name)] {
			dst = append(append(dst, c.Data[start:c.At]...), ',')
		} else {
			spec = append(spec, jsontext.Span{Start: start, End: c.At})
		}
		var ok bool
		if another, ok = c.Follows('}'); !ok {
			return dst, 0
		}
	}
	dst = append(dst, `"spec":{`...)
	for i, member := range spec {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, text[member.Start:member.End]...)
	}
	return append(dst, "}}"...), c.At
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
