package engine

import (
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/plan"
)

// takeUserTypes adds the packages whose types, written by the author, are used as API types
// unchanged.
func (rd *reader) takeUserTypes(packages []*augmentation.Package) {
	dir, err := filepath.Abs(rd.config.Output.Dir)
	for _, p := range packages {
		if err == nil {
			p.Folder, err = filepath.Rel(dir, p.Dir)
		}
		if err != nil {
			rd.Messages.Errorf(rd.config.At("output.dir"), "no way from here to %s: %v", p.Dir, err)
			continue
		}
		p.Folder = filepath.ToSlash(p.Folder)
		rd.UserTypes = append(rd.UserTypes, p)
	}
}

// checkUserTypes reports the changes that authors' packages need before conversions can be
// generated into them.
func (pl Plan) checkUserTypes() {
	for _, g := range pl.plan.Groups {
		for _, p := range g.Packages {
			if !p.IsOwn() || !pl.scope.hasFolder(g.Chain.Folder) {
				continue
			}
			for _, kind := range p.Strays() {
				pl.Messages.Add(diag.Errorf(p.Own.At(p.Own.Roots[0].Object.Pos()), "%s is a resource of %s %s, and not in this package", kind, g.Chain.Name, p.Label).
					WithHint("bring its type back, or have all types of the version generated: go: {types: generated}"))
			}
			for _, kv := range p.Kinds {
				if kv.Root() != nil {
					o := userTypeCheck{pl, p.Own, kv}
					o.methods()
					o.named()
					o.status()
					o.fields()
				}
			}
			pl.checkImports(p.Own)
			pl.checkUserSteps(p.Own)
		}
	}
}

// checkImports reports declarations of the author whose names generated code uses for its
// imports.
func (pl Plan) checkImports(p *augmentation.Package) {
	for _, name := range append(slices.Clone(plan.ImportNames), plan.Registration) {
		if o := p.Types.Scope().Lookup(name); o != nil {
			pl.Messages.Add(diag.Errorf(p.At(o.Pos()), "generated code in this package uses the name %s for something else", name).WithHint("rename it"))
		}
	}
}

// checkUserSteps reports hand-written steps on the types of an author's package. Generated code
// calls steps of storage types only there: the author's types convert to them without a change.
func (pl Plan) checkUserSteps(p *augmentation.Package) {
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		declared, isType := scope.Lookup(name).(*types.TypeName)
		if !isType || declared.IsAlias() {
			continue
		}
		n, isNamed := declared.Type().(*types.Named)
		for i := 0; isNamed && i < n.NumMethods(); i++ {
			if m := n.Method(i); augmentation.IsStepTo(m, pl.config.Output.Module) {
				pl.Messages.Add(diag.Errorf(p.At(m.Pos()), "no conversion calls %s of %s, which is not generated", m.Name(), name).
					WithHint("steps convert between storage types: write it for one in %s", pl.config.Output.Dir))
			}
		}
	}
}

// userTypeCheck checks one root and its parts.
type userTypeCheck struct {
	Plan
	own *augmentation.Package
	*plan.KindVersion
}

func (o userTypeCheck) errorf(pos token.Pos, hint, format string, args ...any) {
	m := diag.Errorf(o.own.At(pos), format, args...)
	m.Hint = hint
	o.Messages.Add(m)
}

// methods reports hand-written methods that are to be generated.
func (o userTypeCheck) methods() {
	r := o.Root()
	for _, name := range o.RootMethods() {
		m := o.own.Method(r.Object.Type(), name)
		switch {
		case m == nil:
		case name == "ConvertTo", name == "ConvertFrom", name == "Hub":
			o.errorf(m.Pos(), "strata import reports what it does beyond the metadata; then strata init --write, or you, delete it and what only it calls", "%s of %s is written by hand, and is to be generated", name, r.Object.Name())
		default:
			o.errorf(m.Pos(), "rename or delete it", "%s has %s, which is to be generated", r.Object.Name(), name)
		}
	}
	for _, m := range []*augmentation.Member{r.Spec, r.Status} {
		if m != nil && o.own.Named(m) != nil {
			o.partMethods(m)
		}
	}
	if taken := o.OwnAccessors(); taken != nil {
		o.Messages.Notef(o.own.At(r.Object.Pos()), "%s has %s of its own: it is no runtime.KubernetesResource", r.Object.Name(), strings.Join(taken, ", "))
	}
}

// partMethods reports the methods of a spec or status that are to be generated.
func (o userTypeCheck) partMethods(m *augmentation.Member) {
	role := plan.Spec
	if m == o.Root().Status {
		role = plan.Status
	}
	for _, name := range plan.PartMethods(role) {
		if found := o.own.Method(m.Type, name); found != nil {
			o.errorf(found.Pos(), "rename or delete it", "%s has %s, which is to be generated", types.TypeString(m.Type, types.RelativeTo(o.own.Types)), name)
		}
	}
}

// named reports specs and statuses whose types are declared within their root.
func (o userTypeCheck) named() {
	r := o.Root()
	for _, part := range []struct {
		name   string
		member *augmentation.Member
	}{{"Spec", r.Spec}, {"Status", r.Status}} {
		if part.member == nil {
			continue
		}
		if _, ok := types.Unalias(part.member.Type).(*types.Named); !ok {
			o.errorf(r.Object.Pos(), "declare it, as "+r.Object.Name()+part.name, "the %s of %s has no type of its own", strings.ToLower(part.name), r.Object.Name())
		}
	}
}

// status reports a status that cannot store the values that its version cannot represent.
func (o userTypeCheck) status() {
	r, runtime := o.Root(), o.config.Output.Runtime
	switch {
	case !o.Subresource:
	case r.Status == nil:
		o.errorf(r.Object.Pos(), "add the field Status "+r.Object.Name()+"Status `json:\"status,omitempty\"`, with a struct that embeds VersionedStatus of "+runtime,
			"%s has a status subresource and no status, which stores the values that this version cannot represent", r.Object.Name())
	case !augmentation.Embeds(r.Status.Type, runtime):
		o.errorf(posOf(r.Status.Type, r.Object), "strata init --write does it: embed runtime.VersionedStatus `json:\",inline\"`, of "+runtime,
			"the status of %s has no property bag, which stores the values that this version cannot represent", r.Object.Name())
	}
}

func posOf(t types.Type, or *types.TypeName) token.Pos {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pos()
	}
	return or.Pos()
}

// fields reports properties that a version is known to have, and that the author's types lack.
func (o userTypeCheck) fields() {
	var lost []string
	seen := map[*plan.Struct]bool{}
	var visit func(t types.Type, s *plan.Struct, path string)
	visit = func(t types.Type, s *plan.Struct, path string) {
		t, _ = augmentation.ElementOf(t)
		u, ok := t.Underlying().(*types.Struct)
		if !ok || s == nil || seen[s] || augmentation.EncodesItself(t) {
			return
		}
		seen[s] = true
		fields, _ := augmentation.Fields(u, o.config.Output.Runtime)
		for _, f := range s.Fields {
			i := slices.IndexFunc(fields, func(g augmentation.Field) bool { return g.Name == f.Property.Name })
			if i < 0 {
				lost = append(lost, path+"."+f.Property.Name)
				continue
			}
			visit(augmentation.Innermost(fields[i].Type), f.API.Struct, path+"."+f.Property.Name)
		}
	}
	visit(o.Root().Spec.Type, o.Spec, "spec")
	if o.Root().Status != nil {
		visit(o.Root().Status.Type, o.Status, "status")
	}
	if lost != nil {
		o.errorf(o.Root().Object.Pos(), "bring it back, and leave it out of a later version: objects may have it", "%s no longer has %s, which the ledger has", o.Root().Object.Name(), strings.Join(lost, ", "))
	}
}

// inOwn reports whether a path is that of a file that is generated into a package of the author.
func inOwn(path string) bool { return strings.HasPrefix(path, "../") }
