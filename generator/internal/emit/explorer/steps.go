package explorer

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/plan"
)

// byHand returns the names of the hand-written steps of a version: those to its neighbour towards
// the hub, and those between its API types and storage types. They are sorted.
func byHand(kv *plan.KindVersion) []string {
	w := walk{seen: map[any]bool{}}
	storage := kv.Package.Label + "/storage"
	w.whole(kv.Package.Label, kv.Kind.Name, kv.OwnWhole)
	w.whole(storage, kv.Kind.Name, kv.Whole)
	near := kv.Next()
	for _, s := range []*plan.Struct{kv.Spec, kv.Status} {
		if s != nil {
			w.own(s)
		}
		if next := roleOf(near, s == kv.Status); s != nil && next != nil {
			w.step(s.Between(next))
		}
	}
	slices.Sort(w.names)
	return slices.Compact(w.names)
}

// roleOf returns the status or the spec of a version; nil if there is none.
func roleOf(kv *plan.KindVersion, status bool) *plan.Struct {
	switch {
	case kv == nil:
		return nil
	case status:
		return kv.Status
	default:
		return kv.Spec
	}
}

// walk collects the names of hand-written steps.
type walk struct {
	names []string
	seen  map[any]bool
}

// first reports whether the walk comes to a step or an object for the first time.
func (w *walk) first(at any) bool {
	was := w.seen[at]
	w.seen[at] = true
	return !was
}

func (w *walk) add(folder, receiver string, hand plan.Hand, to, from plan.Method) {
	if hand.To {
		w.names = append(w.names, folder+" "+receiver+"."+to.Name)
	}
	if hand.From {
		w.names = append(w.names, folder+" "+receiver+"."+from.Name)
	}
}

// whole adds steps of the whole resource, whose methods have the name of the kind.
func (w *walk) whole(folder, kind string, hand plan.Hand) {
	to, from := (&plan.Struct{Name: kind}).Methods()
	w.add(folder, kind, hand, to, from)
}

// own adds the steps between the API types and the storage types of an object and its parts.
func (w *walk) own(s *plan.Struct) {
	if !w.first(s) {
		return
	}
	to, from := s.Methods()
	w.add(s.Package.Label, s.Name, s.Own, to, from)
	for _, f := range s.Fields {
		if f.Type.Struct != nil && !f.Type.Struct.Compat {
			w.own(f.Type.Struct)
		}
	}
}

// step adds the hand-written steps that complete a step, and those within it.
func (w *walk) step(t *plan.Step) {
	if t == nil || !w.first(t) {
		return
	}
	folder := t.Far.Package.Label + "/storage"
	if t.Far.Compat {
		folder += "/compat"
	}
	to, from := t.Near.Methods()
	w.add(folder, t.Far.Name, t.Hand, to, from)
	for _, m := range t.Moves {
		w.step(m.Step)
		for _, e := range slices.Concat(m.Up, m.Down) {
			for _, inner := range e.Steps {
				w.step(inner)
			}
		}
	}
	for _, part := range t.Parts {
		w.step(part)
	}
}
