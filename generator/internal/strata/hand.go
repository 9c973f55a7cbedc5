package strata

import (
	"context"
	"slices"

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
	for _, s := range steps {
		b.steps = append(b.steps, plan.Augmentation{
			Folder: s.Folder, Receiver: s.Receiver, Method: s.Method, ParamFolder: s.ParamFolder, Param: s.Param,
			Pos: model.Pos{File: s.File, Offset: s.Offset},
		})
	}
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

// hintFor says what might be meant by a hand-written step.
func (b *build) hintFor(a plan.Augmentation) string {
	var methods []string
	for _, g := range b.plan.Groups {
		for _, p := range g.Packages {
			for _, t := range p.Steps {
				if t.Far.Folder() == a.Folder && t.Far.Name == a.Receiver && t.Kind != plan.Fused {
					methods = append(methods, "AssignTo"+t.Near.Assigned()+"(dst *"+t.Near.Name+" of "+t.Near.Folder()+")", "AssignFrom"+t.Near.Assigned()+"(src *"+t.Near.Name+" of "+t.Near.Folder()+")")
				}
			}
		}
	}
	if len(methods) == 0 {
		return "remove it, or move it to the type that converts there: steps belong to the type further from the hub"
	}
	slices.Sort(methods)
	near := diag.Nearest(a.Method, methods)
	if near == "" {
		near = methods[0]
	}
	return "steps of this type are such as " + near
}
