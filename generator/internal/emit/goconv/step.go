package goconv

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

func quoted(s string) string { return strconv.Quote(s) }

// stepName names a step between storage types by its target.
func stepName(direction string, far, near *plan.Struct) string {
	name := "Convert" + far.Name + direction + "V" + near.Package.Label[1:]
	if near.Name != far.Name {
		name += near.Name
	}
	return name
}

// step writes both directions of a step.
func (f *function) step(t *plan.Step) {
	far, near := t.Far, t.Near
	f.P()
	f.P("// ", stepName("To", far, near), " makes dst what src is one step nearer to the hub.")
	f.P("func ", stepName("To", far, near), "(src *", far.Name, ", dst *", f.storageOf(near), ") error {")
	f.P("\t*dst = ", f.storageOf(near), "{}")
	f.moves(t, far, true)
	f.calls = nil
	f.P()
	f.P("// ", stepName("From", far, near), " is the way back of ", stepName("To", far, near), ".")
	f.P("func ", stepName("From", far, near), "(src *", f.storageOf(near), ", dst *", far.Name, ") error {")
	f.P("\t*dst = ", far.Name, "{}")
	f.moves(t, far, false)
	f.calls = nil
}

// moves writes what a step does in one direction. What a neighbour does not
// take from the bag travels on in it.
func (f *function) moves(t *plan.Step, far *plan.Struct, up bool) {
	f.P("\tdst.PropertyBag = src.PropertyBag.Clone()")
	for _, m := range t.Moves {
		if m.Action == plan.Keep {
			f.keep(m, up)
		}
	}
	for _, m := range t.Moves {
		if up && m.Action == plan.Fetch {
			f.recall(m, m.Near)
		} else if !up && m.Action == plan.Stow {
			f.recall(m, m.Far)
		}
	}
	for _, m := range t.Moves {
		if up && m.Action == plan.Stow {
			f.stash(m, m.Far)
		} else if !up && m.Action == plan.Fetch {
			f.stash(m, m.Near)
		}
	}
	if far.Role == plan.Spec {
		f.P("\tdst.OriginalVersion = src.OriginalVersion")
	}
	f.extras(far)
	f.done()
}

func (f *function) keep(m *plan.Move, up bool) {
	l := link{src: end{m.Far.Type, gofile.StorageSide}, dst: end{m.Near.Type, gofile.StorageSide}, style: to}
	src, dst, direction := m.Far, m.Near, "To"
	if !up {
		l.src, l.dst = l.dst, l.src
		src, dst, direction = dst, src, "From"
	}
	if far, near := m.Far.Type.Struct, m.Near.Type.Struct; far != nil && far.Host != near.Host {
		l.convert = f.Storage(far.Package, stepName(direction, far, near))
	}
	f.value("dst."+dst.Name, "src."+src.Name, l)
}

func (f *function) recall(m *plan.Move, field *plan.Field) {
	for i := len(m.Keys) - 1; i >= 0; i-- {
		f.P("\t", f.Runtime("Recall"), "(&dst.PropertyBag, ", quoted(m.Keys[i]), ", &dst.", field.Name, ")")
	}
}

func (f *function) stash(m *plan.Move, field *plan.Field) {
	f.P("\t", f.Runtime("Stash"), "(&dst.PropertyBag, ", quoted(m.Keys[0]), ", src.", field.Name, ")")
	for _, old := range m.Keys[1:] {
		f.P("\tdelete(dst.PropertyBag, ", quoted(old), ")")
	}
}
