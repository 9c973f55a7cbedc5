package convert

import "github.com/stratakube/strata/runtime/internal/hidden"

// run is a way on the way: where parts of the object lie.
type run struct {
	*edit
	way    *way
	meta   []byte
	seen   uint8
	spec   placed
	status placed
	// source is the spec as it was read.
	source []byte
	// base is where the object begins in what is written.
	base int
	// hidden is what has to be restored.
	hidden *hidden.Bag
}

// placed is where a part lies in what is written: from start, which is behind the comma, to end.
type placed struct{ start, end int }

const (
	sawVersion uint8 = 1 << iota
	sawKind
	sawMeta
	sawSpec
	sawStatus
)

var rootMembers = map[string]uint8{"apiVersion": sawVersion, "kind": sawKind, "metadata": sawMeta, "spec": sawSpec, "status": sawStatus}

// root converts the object that the JSON begins with.
func (r *run) root() bool {
	if !r.Take('{') || !r.enter() {
		return false
	}
	r.out = append(r.out, '{')
	for first := true; !r.Take('}'); first = false {
		if !first && !r.Take(',') {
			return false
		}
		name, ok := r.plainName()
		which := rootMembers[string(name)]
		if !ok || which == 0 || r.seen&which != 0 || !r.member(which) {
			return false
		}
		r.seen |= which
	}
	r.out = append(r.out, '}')
	const needed = sawVersion | sawKind | sawMeta
	return r.seen&needed == needed
}

func (r *run) member(which uint8) bool {
	switch which {
	case sawVersion:
		r.name(`"apiVersion":`)
		r.out = append(r.out, r.way.apiVersion...)
		return r.Peek() == '"' && r.SkipText()
	case sawKind:
		r.name(`"kind":`)
		r.out = append(r.out, r.way.kind...)
		return string(r.Raw()) == r.way.kind
	case sawMeta:
		return r.metadata()
	case sawSpec:
		return r.part(`"spec":`, r.way.spec, &r.spec)
	default:
		return r.part(`"status":`, r.way.status, &r.status)
	}
}

func (r *run) metadata() bool {
	r.Peek()
	start := r.At
	r.lenient = true
	ok := r.Peek() == '{' && r.conforms(r.way.meta)
	r.lenient = false
	r.meta = r.Data[start:r.At]
	r.name(`"metadata":`)
	if r.way.note {
		return ok && r.withoutNote()
	}
	r.out = append(r.out, r.meta...)
	return ok
}

func (r *run) part(name string, p *recast, at *placed) bool {
	r.Peek()
	start := r.At
	r.begin()
	at.start = len(r.out)
	r.out = append(r.out, name...)
	r.inStatus = p == r.way.status && r.way.up && !r.way.note
	ok := r.Peek() == '{' && r.object(p)
	r.inStatus = false
	at.end = len(r.out)
	if p == r.way.spec {
		r.source = r.Data[start:r.At]
	}
	return ok
}

// finish settles the original version, and what the API version cannot show.
func (r *run) finish() bool {
	if r.way.up {
		return r.settle()
	}
	return r.hide()
}
