package goconv

import (
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

func quoted(s string) string { return strconv.Quote(s) }

type direction = plan.Direction

const (
	up   = plan.Up
	down = plan.Down
)

// stepFunc returns the qualified name of a step's function.
func (f *function) stepFunc(d direction, t *plan.Step) string {
	if t.Reach(d) == plan.Tests {
		return t.Function(d)
	}
	return f.Storage(t.Home, t.Function(d))
}

// step writes the directions of a step that programs call, or those that only tests call.
func (f *function) step(t *plan.Step, by plan.Reach) {
	if t.Reach(up) == by {
		f.further(t)
		f.oneDirection(t, up, t.Far, t.Near)
	}
	if t.Reach(down) == by {
		f.oneDirection(t, down, t.Near, t.Far)
	}
	for _, x := range t.Derived {
		if t.Reach(up) == by {
			f.derivation(t, x)
		}
	}
}

func (f *function) oneDirection(t *plan.Step, d direction, src, dst *plan.Struct) {
	f.P()
	switch {
	case dst.Compat:
		f.P("// ", t.Function(d), " converts to the shape that property bags store.")
	case src.Compat:
		f.P("// ", t.Function(d), " converts from the shape that property bags store.")
	}
	name, params := t.Function(d), "(src *"+f.Stored(src)+", dst *"+f.Stored(dst)+") error {"
	if t.Whole != (plan.Hand{}) {
		f.P("func ", name, params)
		f.whole(t, d)
		f.P()
		name = generated(d, t)
	}
	f.P("func ", name, params)
	if t.Parts != nil {
		f.parts(t, d)
	} else {
		f.lower(t, d, f.Stored(dst))
		f.moves(t, d)
	}
	f.done()
}

// parts writes a step as a sequence of steps with objects between them.
func (f *function) parts(t *plan.Step, d direction) {
	last := len(t.Parts) - 1
	at := func(i int) string { return "&at" + t.Parts[i].Near.Package.Label[1:] }
	for i := range last {
		f.P("\tvar ", at(i)[1:], " ", f.Stored(t.Parts[i].Near))
	}
	for i, part := range t.Parts {
		far, near := "src", "dst"
		if d == down {
			far, near = near, far
		}
		if i > 0 {
			far = at(i - 1)
		}
		if i < last {
			near = at(i)
		}
		if d == down {
			far, near = near, far
		}
		f.calls = append(f.calls, f.stepFunc(d, part)+"("+far+", "+near+")")
	}
	if d == down {
		slices.Reverse(f.calls)
	}
}

// moves writes one direction of a step. Entries of the bag that the other side does not read stay
// in the bag.
func (f *function) moves(t *plan.Step, d direction) {
	if converts(t, d) {
		f.P("\tvar err error")
		f.calls = append(f.calls, "err")
	}
	f.restored = t.Hand.To && d == up || t.Hand.From && d == down
	if f.restored {
		f.P("\trestored := false")
	}
	for _, m := range t.Moves {
		if m.Action == plan.Keep && !isFurther(t, m) {
			f.keep(m, d)
		}
	}
	f.added(t.Far)
	f.assign()
	for _, m := range t.Moves {
		if !isFurther(t, m) {
			f.recall(m, d)
		}
	}
	for _, m := range t.Moves {
		if !isFurther(t, m) {
			f.stash(m, d)
		}
	}
	if !moves(t) {
		f.raise(t, d)
	}
	f.recordEmpty(t, d)
	f.derive(t, d)
	if moves(t) {
		f.raise(t, d)
	}
	f.hand(t, d)
}

// converts reports whether a step converts values that it reads from a bag or stores there.
func converts(t *plan.Step, d direction) bool {
	return recordsEmpty(t, d) || slices.ContainsFunc(t.Moves, func(m *plan.Move) bool {
		entries := slices.Concat(m.Up, m.Down)
		return m.Step != nil && len(entries) > 0 || slices.ContainsFunc(entries, func(e *plan.Entry) bool { return len(e.Steps) > 0 })
	})
}

// sides returns a move's fields on the side that a direction reads and on the one that it writes;
// nil where there is none.
func sides(m *plan.Move, d direction) (src, dst *plan.Field) {
	if d == up {
		return m.Far, m.Near
	}
	return m.Near, m.Far
}

func (f *function) keep(m *plan.Move, d direction) {
	if m.Step != nil && len(read(m, d)) > 0 {
		return // read from the bag instead
	}
	src, dst := sides(m, d)
	if m.Values != nil {
		f.P("\tdst.", dst.Name, " = ", f.renamedValues("src."+src.Name, m.Values, d))
		return
	}
	f.value("dst."+dst.Name, "src."+src.Name, f.kept(m, d))
}

// kept returns the link by which a property that both sides have is handed over.
func (f *function) kept(m *plan.Move, d direction) link {
	src, dst := sides(m, d)
	l := link{src: stored(src.Type), dst: stored(dst.Type), style: to}
	if m.Step != nil {
		l.convert = f.stepFunc(d, m.Step)
	}
	return l
}

// read returns the entries that a move may read from the bag in a direction.
func read(m *plan.Move, d direction) []*plan.Entry {
	if d == up {
		return m.Up
	}
	return m.Down
}

func stored(t plan.Type) end { return end{t, gofile.StorageSide} }
