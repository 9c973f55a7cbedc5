package convert

import (
	"bytes"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

var rootMembers = map[string]uint8{"apiVersion": sawVersion, "kind": sawKind, "metadata": sawMeta, "spec": sawSpec, "status": sawStatus}

// root converts the object that the JSON begins with.
func (r *run) root() bool {
	if !r.Take('{') {
		return r.mismatch(r.At)
	}
	if !r.enter() {
		return false
	}
	r.out = append(r.out, '{')
	var ok bool
	for another := !r.Take('}'); another; {
		if !r.next() {
			return false
		}
		if another, ok = r.Follows('}'); !ok {
			return r.cutOr(NotJSON)
		}
	}
	r.out = append(r.out, '}')
	const needed = sawVersion | sawKind | sawMeta
	return r.allows(r.seen&needed == needed, MissingMember)
}

// next converts a member of the root.
func (r *run) next() bool {
	name, ok := r.plainName()
	if !ok {
		return false
	}
	which := rootMembers[string(name)]
	again := r.seen&which != 0
	r.seen |= which
	return r.allows(which != 0, UnknownMember) && r.once(again) && r.member(which)
}

func (r *run) member(which uint8) bool {
	switch which {
	case sawVersion:
		r.name(`"apiVersion":`)
		r.out = append(r.out, r.direction.apiVersion...)
		return r.conforms(textShape)
	case sawKind:
		r.name(`"kind":`)
		r.out = append(r.out, r.direction.kind...)
		kind, ok := r.raw()
		return ok && r.allows(string(kind) == r.direction.kind, RareSpelling)
	case sawMeta:
		return r.metadata()
	case sawSpec:
		return r.sized(`"spec":`, r.direction.spec, &r.spec, r.direction.specSizes)
	default:
		return r.sized(`"status":`, r.direction.status, &r.status, r.direction.statusSizes)
	}
}

func (r *run) metadata() bool {
	if r.Peek() != '{' {
		return r.mismatch(r.At)
	}
	start, ok := r.At, true
	if r.known != nil && bytes.HasPrefix(r.Data[start:], r.known) {
		r.At += len(r.known)
	} else {
		ok = metaReader{&r.reader}.value(r.direction.meta)
	}
	r.meta = r.Data[start:r.At]
	r.name(`"metadata":`)
	if r.direction.annotation {
		return ok && r.withoutBagAnnotation()
	}
	r.out = append(r.out, r.meta...)
	return ok
}

func (r *run) section(name string, p *recast, at *section) bool {
	r.Peek()
	start := r.At
	r.begin()
	at.start = len(r.out)
	r.out = append(r.out, name...)
	r.inStatus = p == r.direction.status && r.direction.up && !r.direction.annotation
	// A property bag of the spec needs only the ends of its members. Parts write them several
	// times.
	r.listsLong = p == r.direction.spec && p.parts == nil && r.takesBags
	var ok bool
	if p.parts != nil {
		ok = r.convertParts(p.parts)
	} else {
		ok = r.object(p)
	}
	r.inStatus, r.listsLong = false, false
	at.end = len(r.out)
	if p == r.direction.spec {
		r.specIn = section{start, r.At}
	} else {
		r.statusIn = section{start, r.At}
	}
	return ok
}

// sized is section, but refuses integers that the types of the API version cannot represent.
func (r *run) sized(name string, p *recast, at *section, sizes *sizes) bool {
	r.Peek()
	start := r.At
	if ok := r.section(name, p, at); !ok || sizes == nil {
		return ok
	}
	api := jsontext.Cursor{Data: r.Data[start:r.At]}
	if !r.direction.up {
		member := r.out[at.start:at.end]
		api.Data = member[bytes.IndexByte(member, ':')+1:]
	}
	return r.allows(sizes.fit(&api), WrongType)
}

// textShape is the shape of a string.
var textShape = &shape.Shape{Kind: shape.Text}
