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

// stepFunc qualifies the function of a step.
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
	f.P("func ", t.Function(d), "(src *", f.Stored(src), ", dst *", f.Stored(dst), ") error {")
	if t.Parts != nil {
		f.parts(t, d)
	} else {
		f.lower(t, d, f.Stored(dst))
		f.moves(t, d)
	}
	f.done()
}

// parts writes a step as several ones with objects between.
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

// moves writes what a step does in one direction. What the other side does not
// take from the bag travels on in it.
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
	f.raise(t, d)
	f.noteEmpty(t, d)
	f.derive(t, d)
	f.hand(t, d)
}

// converts reports whether a step converts what it takes from a bag or puts there.
func converts(t *plan.Step, d direction) bool {
	return notesEmpty(t, d) || slices.ContainsFunc(t.Moves, func(m *plan.Move) bool {
		entries := slices.Concat(m.Up, m.Down)
		return m.Step != nil && len(entries) > 0 || slices.ContainsFunc(entries, func(e *plan.Entry) bool { return len(e.Steps) > 0 })
	})
}

// sides are a move's fields on the side that a direction reads and on the one that
// it writes; nil where there is none.
func sides(m *plan.Move, d direction) (src, dst *plan.Field) {
	if d == up {
		return m.Far, m.Near
	}
	return m.Near, m.Far
}

func (f *function) keep(m *plan.Move, d direction) {
	if m.Step != nil && len(read(m, d)) > 0 {
		return // with what the bag may have instead
	}
	src, dst := sides(m, d)
	if m.Values != nil {
		f.P("\tdst.", dst.Name, " = ", f.renamedValues("src."+src.Name, m.Values, d))
		return
	}
	f.value("dst."+dst.Name, "src."+src.Name, f.kept(m, d))
}

// kept is how a property that both sides have is handed over.
func (f *function) kept(m *plan.Move, d direction) link {
	src, dst := sides(m, d)
	l := link{src: stored(src.Type), dst: stored(dst.Type), style: to}
	if m.Step != nil {
		l.convert = f.stepFunc(d, m.Step)
	}
	return l
}

// read are the entries that a move may read from the bag in a direction.
func read(m *plan.Move, d direction) []*plan.Entry {
	if d == up {
		return m.Up
	}
	return m.Down
}

func stored(t plan.Type) end { return end{t, gofile.StorageSide} }
