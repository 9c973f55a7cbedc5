package genruntime

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime"
)

// withoutNote writes metadata without the annotation that holds what the version cannot show, which becomes the bag on
// the way up; an object that comes down has none of its own. It refuses what says the same twice.
func (r *run) withoutNote() bool {
	all, ok := membersNamed(r.meta, "annotations")
	if !ok {
		return false
	}
	notes := r.meta[all.value:all.end]
	note, ok := membersNamed(notes, runtime.BagAnnotation)
	switch {
	case !ok:
		return false
	case note.end == 0:
		r.out = append(r.out, r.meta...)
		return true
	case !r.way.up || notes[note.value] != '"':
		return false
	}
	r.statusBag = notes[note.value:note.end]
	if note.alone {
		all.start, all.end = withComma(r.meta, all.start, all.end)
		r.out = append(append(r.out, r.meta[:all.start]...), r.meta[all.end:]...)
		return true
	}
	from, to := withComma(notes, note.start, note.end)
	r.out = append(append(r.out, r.meta[:all.value+from]...), r.meta[all.value+to:]...)
	return true
}

// span is where a member lies in an object: its name, its value, and its end, which is zero where there is none.
type span struct {
	start, value, end int
	alone             bool // no other member is there
}

// membersNamed finds the member of a name in a valid JSON value. It refuses an object that has it twice.
func membersNamed(object []byte, name string) (found span, ok bool) {
	c := cursor{data: object}
	others := 0
	for more := c.take('{'); more && c.more('}'); {
		at := span{start: c.at}
		is := string(c.name()) == name
		c.peek()
		at.value = c.at
		c.raw()
		switch at.end = c.at; {
		case !is:
			others++
		case found.end != 0:
			return found, false
		default:
			found = at
		}
	}
	found.alone = others == 0
	return found, true
}

// withComma is where a member lies in an object together with the comma beside it, if there is one.
func withComma(object []byte, from, to int) (int, int) {
	for i := to; i < len(object); i++ {
		if object[i] == ',' {
			return from, i + 1
		}
	}
	if before, found := bytes.CutSuffix(bytes.TrimRight(object[:from], " \t\r\n"), []byte{','}); found {
		from = len(before)
	}
	return from, to
}

// setNote writes the bag to an annotation.
func (r *run) setNote(bag string) bool {
	meta, at := memberAt(r.out[r.base:], "metadata")
	at += r.base
	all, ok := membersNamed(meta, "annotations")
	notes := meta[all.value:all.end]
	note := append(appendText(nil, runtime.BagAnnotation), ':')
	note = appendText(note, bag)
	switch {
	case !ok || all.end > 0 && notes[0] != '{':
		return false
	case all.end == 0:
		note = append(append([]byte(`"annotations":{`), note...), '}')
		r.insertFirst(at, meta, note)
	default:
		r.insertFirst(at+all.value, notes, note)
	}
	return true
}

// insertFirst puts a member in front of all others of an object, which begins there.
func (r *run) insertFirst(at int, object, member []byte) {
	c := cursor{data: object}
	if c.take('{'); c.peek() != '}' {
		member = append(member, ',')
	}
	r.insert(at+1, member)
}

// gatherRoot appends the object that text begins with as plans know it, with the members that stand at its root in a spec. It
// tells how long the object is; zero where it is none, or nested deeper than depth.
func gatherRoot(dst, text []byte, depth int) (gathered []byte, length int) {
	c := cursor{data: text}
	if depth < 2 || !c.take('{') {
		return dst, 0
	}
	dst = append(dst, '{')
	var few [32]span
	spec := few[:0]
	for another := !c.take('}'); another; {
		c.peek()
		start := c.at
		if c.peek() != '"' || !c.skipText() {
			return dst, 0
		}
		name := c.data[start+1 : c.at-1]
		if bytes.IndexByte(name, '\\') >= 0 || !c.take(':') || !c.skip(depth-1) {
			return dst, 0
		}
		if beside[string(name)] {
			dst = append(append(dst, c.data[start:c.at]...), ',')
		} else {
			spec = append(spec, span{start: start, end: c.at})
		}
		var ok bool
		if another, ok = c.follows('}'); !ok {
			return dst, 0
		}
	}
	dst = append(dst, `"spec":{`...)
	for i, member := range spec {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, text[member.start:member.end]...)
	}
	return append(dst, "}}"...), c.at
}

// spreadRoot is the way back of gatherRoot, in what was written.
func (r *run) spreadRoot() {
	spec, _ := membersNamed(r.out[r.base:], "spec")
	start, inner, end := r.base+spec.start, r.base+spec.value+1, r.base+spec.end
	switch {
	case spec.end == 0:
	case len(bytes.TrimSpace(r.out[inner:end-1])) == 0:
		start, end = withComma(r.out, start, end)
		r.out = slices.Delete(r.out, start, end)
	default:
		r.out = slices.Delete(r.out, end-1, end)
		r.out = slices.Delete(r.out, start, inner)
	}
}
