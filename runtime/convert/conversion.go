package convert

import "unicode/utf8"

// append converts the object that text begins with, and appends the result to dst. It refuses an
// object nested deeper than limit. Length is the length of the object in text, or zero if append
// refuses it.
func (w *direction) append(e *edit, dst, text []byte, limit int) (out []byte, length int, why Refusal) {
	if w.convert(e, dst, text, limit) {
		length = e.length
	}
	out, why = e.out, e.refusal
	e.reset(nil, nil)
	return out, length, why
}

// convert converts the object that text begins with, and appends the result to e.out.
func (w *direction) convert(e *edit, dst, text []byte, limit int) bool {
	e.reset(dst, text)
	e.length = 0
	e.exact, e.takesBags, e.limit = !w.up || e.through, !w.up, limit
	if !w.up {
		e.bagsWithin = modestBytes
	}
	if w.up && w.atRoot {
		if !e.gatherRoot() {
			return false
		}
		e.Data, e.At = e.gathered, 0
	}
	r := run{edit: e, direction: w, base: len(dst)}
	if !r.root() || !e.allows(utf8.Valid(e.Data[:e.At]), NotJSON) {
		return false
	}
	if e.length == 0 {
		e.length = e.At
	}
	e.Data = e.Data[:e.At]
	if !r.finish() || r.hidden != nil && !r.restored(dst, e.Data) {
		return false
	}
	if !w.up && w.atRoot {
		r.spreadRoot()
	}
	return true
}

// finish decides the original version if the result is of the hub. Else it hides the values that
// the API version cannot represent.
func (r *run) finish() bool {
	if r.direction.up {
		return r.decideOriginal()
	}
	return r.hide()
}
