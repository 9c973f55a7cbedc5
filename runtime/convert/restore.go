package convert

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// decideOriginal sets the original version of the hub's spec, with the result that
// genruntime.Restore and DecideOriginal have. It refuses an object if the decision needs all of
// the stored spec.
func (r *run) decideOriginal() bool {
	if r.statusBag == nil {
		r.original = r.direction.program.Kind.Version
		r.insertOriginal()
		return true
	}
	h, err := hidden.ReadShared(jsontext.Unquoted(r.statusBag))
	if !r.allows(err == nil, DamagedStatusBag) || !r.allows(h.Raw == nil, RawValues) {
		return false
	}
	makes, ok := false, true
	if h.Original != nil {
		makes, ok = r.makesOriginal(&h)
	}
	if !r.allows(ok, RepeatedMember) || !r.allows(!isOpen(&h) && (!makes || h.Spec == nil), OriginalVersion) {
		return false
	}
	r.original = r.direction.program.Original(&h, makes, func() bool { return true }) // No value of the spec is hidden here.
	if h.Spec != nil || h.Status != nil {
		r.hidden = &h
		return r.isModest()
	}
	r.dropStatus(&h)
	r.insertOriginal()
	return true
}

// isOpen reports whether the stored original version is undecided. No conversion stores such a one.
func isOpen(h *hidden.Bag) bool {
	if h.Original == nil {
		return false
	}
	_, _, open := label.ParseUndecided(*h.Original)
	return open
}

// isModest refuses an object longer than modestBytes that hides values. Plans need several
// buffers of that length.
func (r *run) isModest() bool { return r.allows(len(r.Data) <= modestBytes, TooLarge) }

// modestBytes is the largest length of an object that hides values.
const modestBytes = 1 << 20

// insertOriginal writes the original version to the spec, if there is one.
func (r *run) insertOriginal() {
	if r.seen&sawSpec != 0 && r.direction.program.HasOriginal && r.original != "" {
		r.insertMember(r.spec.end-1, `"originalVersion":`, r.original)
	}
}

// dropStatus removes a status that was created to store the bag.
func (r *run) dropStatus(h *hidden.Bag) {
	if h.NoStatus && r.seen&sawStatus != 0 && r.out[r.status.end-2] == '{' {
		r.removeStatus()
	}
}

// restored converts an object again, after it has restored the hidden values.
func (r *run) restored(dst, object []byte) bool {
	p, in := r.direction.program, hidden.NewJSONRestorer()
	defer in.Done()
	out, at, ok := r.between[:0], 0, true
	spec := func() {
		if r.specIn.end > 0 {
			out = append(out, object[at:r.specIn.start]...)
			out, ok = restoredIn(in, out, p.Spec, object[r.specIn.start:r.specIn.end], r.hidden, r.hidden.Spec)
			at = r.specIn.end
		}
	}
	isFirst := r.specIn.start < r.statusIn.start
	if isFirst {
		spec()
	}
	if end := r.statusIn.end; end > 0 {
		status := object[r.statusIn.start:end]
		from, to := r.statusBagIn(status)
		out = append(out, object[at:r.statusIn.start]...)
		if at = end; r.hidden.Status == nil {
			out = append(append(out, status[:from]...), status[to:]...)
		} else if ok {
			out, ok = in.Append(out, p.Status, slices.Concat(status[:from], status[to:]), r.hidden, r.hidden.Status)
		}
	}
	if ok && !isFirst {
		spec()
	}
	r.between = append(out, object[at:]...)
	return r.allows(!in.Repeats(), RepeatedMember) && r.allows(ok, Unplaced) && r.again(dst)
}

// restoredIn appends a section with its hidden values, of which there may be none.
func restoredIn(in *hidden.JSONRestorer, out []byte, s *shape.Shape, value []byte, h *hidden.Bag, values runtime.JSON) ([]byte, bool) {
	if values == nil {
		return append(out, value...), true
	}
	return in.Append(out, s, value, h, values)
}

// statusBagIn returns the range of the member propertyBag in the status, with a comma. It is empty
// if the bag is in an annotation.
func (r *run) statusBagIn(status []byte) (from, to int) {
	if r.direction.annotation {
		return 0, 0
	}
	to = r.statusBagEnd - r.statusIn.start
	from = bytes.LastIndex(status[:to-len(r.statusBag)], []byte(`"propertyBag"`))
	return jsontext.WithComma(status, from, to)
}

// again converts the JSON of a storage object, which is in e.between.
func (r *run) again(dst []byte) bool {
	e := r.edit
	e.reset(dst, e.between)
	e.takesBags, e.bags, e.exact = true, true, e.through
	next := run{edit: e, direction: r.direction, original: r.original, known: r.meta}
	if !next.root() || !e.allows(!bytes.Contains(e.out[len(dst):], rawBytes), RawValues) {
		return false
	}
	next.dropStatus(r.hidden)
	next.insertOriginal()
	return true
}

var rawBytes = []byte(bag.RawSuffix + `"`)

// makesOriginal reports whether the write makes this version the original version. It is not ok
// if a map of the spec has two members of one name.
func (r *run) makesOriginal(h *hidden.Bag) (makes, ok bool) {
	p := r.direction.program
	visible, ok := hidden.VisibleInJSON(p.Spec, r.Data[r.specIn.start:r.specIn.end], p.Replicas)
	return h.MakesOriginal(visible, func() []string { return p.DeclaredIn(r.meta) }), ok
}

// removeStatus removes the status from out.
func (r *run) removeStatus() {
	start, end := r.status.start, r.status.end
	if r.out[start-1] == ',' {
		start--
	} else if r.out[end] == ',' {
		end++
	}
	r.out = slices.Delete(r.out, start, end)
	if r.spec.start > start {
		r.spec.start, r.spec.end = r.spec.start-(end-start), r.spec.end-(end-start)
	}
}

// insertMember inserts a member before the closing bracket of an object, which is at at.
func (r *run) insertMember(at int, name, text string) {
	const short = 256
	separated := r.out[at-1] == '{'
	if len(text) <= short {
		var member []byte
		if !separated {
			member = append(member, ',')
		}
		r.insert(at, jsontext.AppendText(append(member, name...), text))
		return
	}
	behind := slices.Clone(r.out[at:])
	if r.out = r.out[:at]; !separated {
		r.out = append(r.out, ',')
	}
	r.out = append(jsontext.AppendText(append(r.out, name...), text), behind...)
}
