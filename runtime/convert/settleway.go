package convert

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// settle gives the hub's spec its original version, as Restore does.
func (r *run) settle() bool {
	original := r.way.program.Kind.Version
	if r.statusBag != nil {
		h, err := hidden.Read(string(jsontext.Unquoted(r.statusBag)))
		switch {
		case err != nil:
			return r.refuse(DamagedStatusBag)
		case h.Raw != nil:
			return r.refuse(RawValues)
		}
		wished := h.Original == nil || r.isWished(&h)
		if h.Spec != nil || h.Status != nil {
			r.hidden = &h
			return r.isModest() && r.allows(!mayRespell(h.Spec) && !mayRespell(h.Status), Unplaced) &&
				r.allows(!wished || h.Original == nil, OriginalVersion)
		}
		if !wished {
			original = *h.Original
		}
		r.dropStatus(&h)
	}
	r.insertOriginal(original)
	return true
}

// isModest refuses an object that hides values and is large, or deeply nested, since those are
// looked for again and again on the way down to them.
func (r *run) isModest() bool {
	const size, depth = 1 << 20, 128
	return r.allows(len(r.Data) <= size && r.deepest <= depth, TooLarge)
}

// mayRespell reports whether names in hidden JSON are spelled otherwise than Hide does, so that
// they are not found by their spelling. Other escapes stand in names that objects spell so, too,
// which are refused there.
func mayRespell(hidden []byte) bool {
	if bytes.IndexByte(hidden, '\\') < 0 {
		return false
	}
	for c := (jsontext.Cursor{Data: hidden}); c.Peek() != 0; c.At++ {
		start := c.At
		if c.Data[start] != '"' {
			continue
		}
		if !c.SkipText() {
			return true
		}
		if text := c.Data[start:c.At]; c.Peek() == ':' && (bytes.Contains(text, []byte(`\u`)) || bytes.Contains(text, []byte(`\/`))) {
			return true
		}
		c.At--
	}
	return false
}

func (r *run) insertOriginal(original string) {
	if r.seen&sawSpec != 0 && r.way.program.HasOriginal && original != "" {
		r.insertMember(r.spec.end-1, `"originalVersion":`, original)
	}
}

// dropStatus takes away a status that was made to carry the bag.
func (r *run) dropStatus(h *hidden.Bag) {
	if h.NoStatus && r.seen&sawStatus != 0 && r.out[r.status.end-2] == '{' {
		r.removeStatus()
	}
}

// restored converts an object once more, with what is hidden at its place.
func (r *run) restored(dst, object []byte) bool {
	h, p := r.hidden, r.way.program
	in := hidden.JSONRestorer{Out: r.between[:0], Trusts: h.Fingerprints == fingerprint.Version}
	ok := in.Members(object, func(name, value []byte) bool {
		switch string(name) {
		case "spec":
			return in.Value(p.Spec, value, h.Spec, nil)
		case "status":
			return in.Value(p.Status, withoutMember(value, "propertyBag"), h.Status, nil)
		default:
			in.Out = append(in.Out, value...)
			return true
		}
	})
	r.between = append(in.Out, '}')
	return r.allows(ok, Unplaced) && r.again(dst, h)
}

// again converts the JSON of a storage object, which lies between.
func (r *run) again(dst []byte, h *hidden.Bag) bool {
	e, original := r.edit, r.way.program.Kind.Version
	e.reset(dst, e.between)
	e.takesBags, e.bags = true, true
	next := run{edit: e, way: r.way}
	if !next.root() || !e.allows(!bytes.Contains(e.out[len(dst):], rawBytes), RawValues) {
		return false
	}
	if h.Original != nil {
		original = *h.Original
	}
	next.dropStatus(h)
	next.insertOriginal(original)
	return true
}

var rawBytes = []byte(bag.RawMark + `"`)

// withoutMember returns a JSON object without the members of a name, which is spelled without
// escapes.
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

// MakesOriginal reports whether the write makes this version the original one.
func (r *run) isWished(h *hidden.Bag) bool {
	p := r.way.program
	shown := hidden.PrintJSONObject(p.Spec, r.source, p.Replicas)
	return h.MakesOriginal(shown, func() []string { return p.DeclaredIn(r.meta) })
}

// removeStatus takes away a status that was made to carry the bag.
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

// insertMember puts a member in front of the bracket that ends an object.
func (r *run) insertMember(at int, name, text string) {
	var member []byte
	if r.out[at-1] != '{' {
		member = append(member, ',')
	}
	r.insert(at, jsontext.AppendText(append(member, name...), text))
}
