package convert

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
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
	out, ok := append(r.between[:0], '{'), true
	c := jsontext.Cursor{Data: object}
	for c.Take('{'); ok && c.More('}'); {
		start := c.At
		name := c.Name()
		c.Peek()
		out = append(jsontext.Separate(out), object[start:c.At]...)
		switch value := c.Raw(); string(name) {
		case "spec":
			out, ok = in.Append(out, p.Spec, value, r.hidden, r.hidden.Spec)
		case "status":
			out, ok = in.Append(out, p.Status, withoutMember(value, "propertyBag"), r.hidden, r.hidden.Status)
		default:
			out = append(out, value...)
		}
	}
	r.between = append(out, '}')
	return r.allows(!in.Repeats(), RepeatedMember) && r.allows(ok, Unplaced) && r.again(dst)
}

// again converts the JSON of a storage object, which is in e.between.
func (r *run) again(dst []byte) bool {
	e := r.edit
	e.reset(dst, e.between)
	e.takesBags, e.bags, e.exact = true, true, e.through
	next := run{edit: e, direction: r.direction, original: r.original}
	if !next.root() || !e.allows(!bytes.Contains(e.out[len(dst):], rawBytes), RawValues) {
		return false
	}
	next.dropStatus(r.hidden)
	next.insertOriginal()
	return true
}

var rawBytes = []byte(bag.RawSuffix + `"`)

// withoutMember returns a JSON object without the members that have a name. It finds only names
// without escapes.
func withoutMember(object []byte, name string) []byte {
	out := []byte{'{'}
	c := jsontext.Cursor{Data: object}
	for c.Take('{'); c.More('}'); {
		start := c.At
		is := string(c.Name())
		c.Raw()
		if is == name {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, object[start:c.At]...)
	}
	return append(out, '}')
}

// makesOriginal reports whether the write makes this version the original version. It is not ok
// if a map of the spec has two members of one name.
func (r *run) makesOriginal(h *hidden.Bag) (makes, ok bool) {
	p := r.direction.program
	visible, ok := hidden.VisibleInJSON(p.Spec, r.source, p.Replicas)
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
