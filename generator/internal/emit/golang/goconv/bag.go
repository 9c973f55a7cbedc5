package goconv

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// recall writes the code that reads a property from the bag. It does so if the other side lacks
// the property, or if the value is absent there and may be stored under an old key.
func (f *function) recall(m *plan.Move, d direction) {
	src, dst := sides(m, d)
	entries := read(m, d)
	if dst == nil || len(entries) == 0 {
		return
	}
	if src == nil && len(entries) == 1 && len(entries[0].Steps) == 0 {
		call := f.recallCall(dst, entries[0], "dst."+dst.Name)
		if f.restored {
			call = "restored = " + call + " || restored"
		}
		f.P("\t", call)
		return
	}
	locals := make([]string, len(entries))
	for i, e := range entries {
		if locals[i] = "dst." + dst.Name; len(e.Steps) > 0 {
			locals[i] = local("stored", dst, i)
			f.P("\tvar ", locals[i], " ", f.Type(e.Type, gofile.StorageSide))
		}
	}
	if src == nil && len(entries) == 1 {
		f.P("\tif ", f.recallCall(dst, entries[0], locals[0]), " {")
		f.recalled(dst, entries[0], locals[0], d)
		f.P("\t}")
		return
	}
	f.P("\tswitch {")
	if src != nil {
		f.P("\tcase src.", src.Name, " != nil:")
		if m.Step != nil {
			f.fails("\t\t", f.convertCall("&dst."+dst.Name, "src."+src.Name, f.kept(m, d)))
		}
	}
	for i, e := range entries {
		f.P("\tcase ", f.recallCall(dst, e, locals[i]), ":")
		f.recalled(dst, e, locals[i], d)
	}
	f.P("\t}")
}

// recalled writes the code that follows if a bag had an entry.
func (f *function) recalled(dst *plan.Field, e *plan.Entry, local string, d direction) {
	if f.restored {
		f.P("\t\trestored = true")
	}
	if len(e.Steps) > 0 {
		call := f.convertCall("&dst."+dst.Name, local, link{src: stored(e.Type), dst: stored(dst.Type), style: to, convert: f.stepsFunc(e.Steps, d)})
		f.fails("\t\t", call)
	}
}

// fails writes a call whose error is returned at the function's end.
func (f *function) fails(indent, call string) {
	f.P(indent, "err = ", f.Genruntime("FirstError"), "(err, ", gofile.Indent(indent, call), ")")
}

func (f *function) recallCall(field *plan.Field, e *plan.Entry, into string) string {
	verb := "Recall"
	if field.Additional {
		verb = "RecallMembers"
	}
	return f.Genruntime(verb) + "(&dst.PropertyBag, " + quoted(e.Key) + ", &" + into + ")"
}

// stash writes the code that stores a property in the bag if the other side lacks it. It does not
// overwrite a key that is in use.
func (f *function) stash(m *plan.Move, d direction) {
	src, dst := sides(m, d)
	entries := read(m, d.Back()) // the entries are read on the way back
	if dst != nil || len(entries) == 0 {
		return
	}
	own, written := entries[0], plan.Written(entries)
	if own == written {
		f.stashEntry(src, own, 0, "\t", d)
		return
	}
	f.P("\tif _, taken := dst.PropertyBag[", quoted(written.Key), "]; taken {")
	f.stashEntry(src, own, 0, "\t\t", d)
	f.P("\t} else {")
	f.stashEntry(src, written, 1, "\t\t", d)
	f.P("\t}")
}

// stashEntry writes the code that converts a field to its shape in the bag, and stores it there.
func (f *function) stashEntry(src *plan.Field, e *plan.Entry, n int, indent string, d direction) {
	value := "src." + src.Name
	if len(e.Steps) > 0 {
		value = local("stowed", src, n)
		call := f.convertCall("&"+value, "src."+src.Name, link{src: stored(src.Type), dst: stored(e.Type), style: to, convert: f.stepsFunc(e.Steps, d)})
		f.P(indent, "var ", value, " ", f.Type(e.Type, gofile.StorageSide))
		f.fails(indent, call)
	}
	f.P(indent, f.Genruntime("Stash"), "(&dst.PropertyBag, ", quoted(e.Key), ", ", value, ")")
}

// local returns the name of a variable for a field's value in a bag.
func local(purpose string, field *plan.Field, n int) string {
	if n == 0 {
		return purpose + field.Name
	}
	return purpose + strconv.Itoa(n+1) + field.Name
}

// stepsFunc returns the function that converts between a property and a bag. steps are in order
// from far to near.
func (f *function) stepsFunc(steps []*plan.Step, d direction) string {
	var out string
	for i := range steps {
		t := steps[i]
		if d == down {
			t = steps[len(steps)-1-i]
		}
		if i == 0 {
			out = f.stepFunc(d, t)
			continue
		}
		out = f.Genruntime("Then") + "(" + out + ", " + f.stepFunc(d, t) + ")"
	}
	return out
}
