package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
)

// augment reads the hand-written methods in the folders of generated code.
func augment(ctx context.Context, rf Refined) (Augmented, error) {
	if err := rf.enter(ctx, "reading hand-written steps"); err != nil {
		return Augmented{}, err
	}
	var folders []string // all
	if rf.part != nil {
		folders = rf.part.below()
	}
	files, err := output.HandWrittenBelow(rf.config.Output.Dir, rf.Manifest, folders)
	if err != nil {
		return Augmented{}, err
	}
	methods, faults, err := augmentation.Read(rf.config.Output.Dir, rf.config.Output.Module, files)
	for _, f := range faults {
		rf.Messages.Add(diag.Errorf(diag.At(f.File, f.Offset, ""), "a hand-written file cannot be read: %s", f.Text))
	}
	return Augmented{Refined: rf, Methods: methods}, rf.leave(ctx, err)
}

// checkUnusedMethods reports the hand-written methods that no conversion calls. A run with --only
// checks only the methods of its own groups.
func (pl Plan) checkUnusedMethods() {
	for _, a := range pl.plan.Unused {
		if !pl.scope.hasPath(a.Folder + "/") {
			continue
		}
		pl.Messages.Add(diag.Errorf(diag.At(a.Pos.File, a.Pos.Offset, ""), "no conversion calls %s of %s in %s", a.Method, a.Receiver, a.Folder).
			WithHint("%s", pl.hintFor(a)))
	}
}

// noteStatusMethods notes the hand-written methods of types of which the status has a form of its
// own: they do not complete that form's conversions.
func (pl Plan) noteStatusMethods() {
	reported := map[[2]string]bool{}
	for _, a := range pl.Methods {
		own := a.Receiver + model.StatusSuffix
		at := [2]string{a.Folder, own}
		isOwn := func(o augmentation.Method) bool { return o.Folder == a.Folder && o.Receiver == own }
		if reported[at] || pl.isKind(a.Receiver) || len(pl.plan.MethodsOf(a.Folder, own)) == 0 || slices.ContainsFunc(pl.Methods, isOwn) {
			continue
		}
		reported[at] = true
		pl.Messages.Notef(diag.At(a.Pos.File, a.Pos.Offset, ""), "steps of %s do not complete %s, which stands for it in the status", a.Receiver, own)
	}
}

// isKind reports whether a name is that of a resource.
func (pl Plan) isKind(name string) bool {
	return slices.ContainsFunc(pl.plan.Groups, func(g *plan.Group) bool {
		return slices.ContainsFunc(g.Kinds, func(k *plan.Kind) bool { return k.Name == name })
	})
}

// hintFor returns a hint for a hand-written method that no conversion calls.
func (pl Plan) hintFor(a augmentation.Method) string {
	methods := pl.plan.MethodsOf(a.Folder, a.Receiver)
	var names, all []string
	for _, m := range methods {
		names, all = append(names, m.Method), append(all, spelled(m))
	}
	near := slices.Index(names, diag.Nearest(a.Method, names))
	switch {
	case len(methods) == 0:
		return "remove it, or move it to the type that converts there: steps belong to the type further from the hub"
	case near < 0:
		return "conversions of this type call " + strings.Join(all, " and ")
	case names[near] == a.Method:
		return "conversions call it where it takes " + paramOf(methods[near])
	}
	return "did you mean " + all[near] + "?"
}

func spelled(m augmentation.Method) string { return m.Method + "(" + paramOf(m) + ")" }

// paramOf formats the parameter that conversions pass to a method.
func paramOf(m augmentation.Method) string {
	return m.ParamName() + " *" + m.Param + " of " + m.ParamFolder
}
