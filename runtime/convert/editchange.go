package convert

import (
	"bytes"
	"errors"

	"github.com/stratakube/strata/runtime/internal/declared"
)

// maxChangedBytes is the largest number of bytes that objects with declared changes may have
// together. An object within another counts for each.
const maxChangedBytes = 4 << 20

// change applies the declared changes of an object. Source is its JSON in the source, and its
// result begins at mark in out.
func (e *edit) change(r *recast, source []byte, mark int) bool {
	c := r.changes
	if e.changed += len(source) + len(e.out) - mark; e.changed > maxChangedBytes {
		return e.refuse(TooLarge)
	}
	src, dst := newTree(e, r.of, source), newTree(e, c.to, bytes.Clone(e.out[mark:]))
	far, near := src, dst
	if !c.up {
		far, near = dst, src
	}
	var failed []error
	for _, x := range c.inner {
		p := &x.Property
		a, b := member{far, p.Far.Path}, member{near, p.Near.Path}
		if c.up {
			failed = append(failed, declared.To(x.keys(), dst.Bag(nil), a.JSON(), b, p.To, p.From))
		} else {
			failed = append(failed, declared.From(x.keys(), dst.Bag(nil), a, b.JSON(), p.To, p.From))
		}
	}
	switch {
	case c.moves == nil:
	case c.up:
		failed = append(failed, declared.MoveTo(far, near, c.moves...))
	default:
		failed = append(failed, declared.MoveFrom(far, near, c.moves...))
	}
	if errors.Join(failed...) != nil {
		return e.refuse(WrongType) // Go types report the value
	}
	if e.refusal != Converted {
		return e.refuse(e.refusal)
	}
	e.out = dst.append(e.out[:mark])
	return e.isWithin()
}
