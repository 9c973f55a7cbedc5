package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/hand"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
)

// hands reads the hand-written steps that stand beside generated code.
func (b *build) hands(context.Context) error {
	files, err := output.HandWritten(b.config.Output.Dir, b.manifest)
	if err != nil {
		return err
	}
	steps, faults, err := hand.Read(b.config.Output.Dir, b.config.Output.Module, files)
	for _, f := range faults {
		b.Messages.Add(diag.Errorf(diag.At(f.File, f.Offset, ""), "a hand-written file cannot be read: %s", f.Text))
	}
	b.steps = steps
	return err
}

// idle reports the hand-written steps that no conversion calls. A narrowed run
// leaves those of others alone.
func (b *build) idle() {
	for _, a := range b.plan.Unused {
		if !b.scope.hasPath(a.Folder + "/") {
			continue
		}
		b.Messages.Add(diag.Errorf(diag.At(a.Pos.File, a.Pos.Offset, ""), "no conversion calls %s of %s in %s", a.Method, a.Receiver, a.Folder).
			WithHint("%s", b.hintFor(a)))
	}
}

// astray tells of hand-written steps of types that the status has in a form of its
// own, which they do not complete.
func (b *build) astray() {
	said := map[[2]string]bool{}
	for _, a := range b.steps {
		own := a.Receiver + model.StatusSuffix
		at := [2]string{a.Folder, own}
		isOwn := func(o plan.Augmentation) bool { return o.Folder == a.Folder && o.Receiver == own }
		if said[at] || len(b.methods(a.Folder, own)) == 0 || slices.ContainsFunc(b.steps, isOwn) {
			continue
		}
		said[at] = true
		b.Messages.Notef(diag.At(a.Pos.File, a.Pos.Offset, ""), "steps of %s do not complete %s, which stands for it in the status", a.Receiver, own)
	}
}

// hintFor says what might be meant by a hand-written step.
func (b *build) hintFor(a plan.Augmentation) string {
	methods := b.methods(a.Folder, a.Receiver)
	var names, all []string
	for _, m := range methods {
		names, all = append(names, m.name), append(all, m.String())
	}
	near := slices.Index(names, diag.Nearest(a.Method, names))
	switch {
	case len(methods) == 0:
		return "remove it, or move it to the type that converts there: steps belong to the type further from the hub"
	case near < 0:
		return "conversions of this type call " + strings.Join(all, " and ")
	case names[near] == a.Method:
		return "conversions call it where it takes " + methods[near].param
	}
	return "did you mean " + all[near] + "?"
}

// method is one that conversions call where it is there.
type method struct{ name, param string }

func (m method) String() string { return m.name + "(" + m.param + ")" }

// methods are those that conversions would call of a type in a folder.
func (b *build) methods(folder, receiver string) []method {
	var out []method
	add := func(assigned, name, folder string) {
		param := " *" + name + " of " + folder
		for _, m := range []method{{"AssignTo" + assigned, "dst" + param}, {"AssignFrom" + assigned, "src" + param}} {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	for _, g := range b.plan.Groups {
		for _, p := range g.Packages {
			for _, t := range p.Steps {
				if t.Kind != plan.Fused && t.Far.Folder() == folder && t.Far.Name == receiver {
					add(t.Near.Assigned(), t.Near.Name, t.Near.Folder())
				}
			}
			for _, s := range p.Structs {
				switch next := s.Owner.Version.Next; {
				case s.Name != receiver:
				case p.Folder() == folder:
					add(s.Name, s.Name, s.Folder())
				case s.Folder() == folder && s.Shared() && next != nil:
					add(s.Name, s.Name, g.Chain.Folder+"/"+next.Label+"/storage")
				}
			}
		}
	}
	return out
}
