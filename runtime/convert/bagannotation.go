package convert

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// withoutBagAnnotation writes the metadata without the bag annotation, and sets r.statusBag to
// its value. Objects of the hub must not have that annotation. It refuses metadata that has the
// annotation twice.
func (r *run) withoutBagAnnotation() bool {
	all, ok := jsontext.MembersNamed(r.meta, "annotations")
	if !ok {
		return r.refuse(DamagedStatusBag)
	}
	annotations := r.meta[all.Value:all.End]
	annotation, ok := jsontext.MembersNamed(annotations, runtime.BagAnnotation)
	switch {
	case !ok:
		return r.refuse(DamagedStatusBag)
	case annotation.End == 0:
		r.out = append(r.out, r.meta...)
		return true
	case !r.direction.up || annotations[annotation.Value] != '"':
		return r.refuse(DamagedStatusBag)
	}
	r.statusBag = annotations[annotation.Value:annotation.End]
	if annotation.Alone {
		all.Start, all.End = jsontext.WithComma(r.meta, all.Start, all.End)
		r.out = append(append(r.out, r.meta[:all.Start]...), r.meta[all.End:]...)
		return true
	}
	from, to := jsontext.WithComma(annotations, annotation.Start, annotation.End)
	r.out = append(append(r.out, r.meta[:all.Value+from]...), r.meta[all.Value+to:]...)
	return true
}

// setBagAnnotation adds the annotation that stores a bag to the metadata in out.
func (r *run) setBagAnnotation(bag string) bool {
	meta, at := jsontext.MemberAt(r.out[r.base:], "metadata")
	at += r.base
	all, ok := jsontext.MembersNamed(meta, "annotations")
	annotations := meta[all.Value:all.End]
	annotation := append(jsontext.AppendText(nil, runtime.BagAnnotation), ':')
	annotation = jsontext.AppendText(annotation, bag)
	switch {
	case !ok || all.End > 0 && annotations[0] != '{':
		return r.refuse(DamagedStatusBag)
	case all.End == 0:
		annotation = append(append([]byte(`"annotations":{`), annotation...), '}')
		r.insertFirst(at, meta, annotation)
	default:
		r.insertFirst(at+all.Value, annotations, annotation)
	}
	return true
}

// insertFirst inserts a member as the first of an object, which begins at at in out.
func (r *run) insertFirst(at int, object, member []byte) {
	c := jsontext.Cursor{Data: object}
	if c.Take('{'); c.Peek() != '}' {
		member = append(member, ',')
	}
	r.insert(at+1, member)
}
