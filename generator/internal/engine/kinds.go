package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// kindOf is a resource as the configuration names it: crm/Person.
func (b *build) kindOf(r *model.Resource) string { return b.folderOf(r) + "/" + r.Kind }

// renames are the names that the configuration gives to a resource's properties,
// by the vendor's.
func (b *build) renames(r *model.Resource) map[string]string {
	return b.config.Kinds[b.kindOf(r)].Rename
}

// chosenKind is the kind that the configuration chooses for a resource type, empty for none. Otherwise is the kind that it
// has if not.
func (b *build) chosenKind(resourceType, otherwise string) string {
	folder := b.folderOf(&model.Resource{Type: resourceType})
	for _, n := range b.config.KindNames {
		if strings.EqualFold(n.Of, resourceType) || n.Of == folder+"/"+otherwise {
			b.chosen = append(b.chosen, chosenKind{n, resourceType})
			return n.Kind
		}
	}
	return ""
}

// chosenKind is a name that the configuration has given in this run.
type chosenKind struct {
	config.KindName
	resource string
}

// useKindNames reports names that were not given: to kinds of the ledger, which keep theirs, to nothing, or twice.
func (b *build) useKindNames() {
	for _, n := range b.config.KindNames {
		if m, wrong := b.unusedName(n); wrong {
			b.Messages.Add(m)
		}
	}
}

func (b *build) unusedName(n config.KindName) (diag.Message, bool) {
	given := slices.IndexFunc(b.chosen, func(c chosenKind) bool { return c.KindName == n })
	var types []string
	for _, r := range b.refined {
		types = append(types, r.Type)
		isMeant := strings.EqualFold(n.Of, r.Type) || given >= 0 && strings.EqualFold(b.chosen[given].resource, r.Type)
		switch {
		case r.Kind == n.Kind && (isMeant || given < 0 && !strings.EqualFold(n.Of, b.kindOf(r)) && strings.HasPrefix(n.Of, b.folderOf(r)+"/")):
			return diag.Message{}, false // given now, or by an earlier run
		case given >= 0 && isMeant:
			return diag.Errorf(b.config.At(n.Pos.Path+".kind"), "another resource of the provider is called %s, or like what belongs to it", n.Kind).WithHint("choose another name"), true
		case r.IsNative() && isMeant:
			return diag.Errorf(n.Pos, "the source of %s says that its kind is %s", r.Type, r.Kind).WithHint("remove the entry"), true
		case isMeant, n.Of == b.kindOf(r) && b.old.Find(r.Type) != nil:
			return diag.Errorf(n.Pos, "%s is called %s in the ledger, and a name once given stays: objects may be stored under it", r.Type, r.Kind).WithHint("remove the entry"), true
		}
	}
	if !b.Only.IsZero() || len(b.omitted) > 0 {
		return diag.Message{}, false
	}
	return nearest(diag.Errorf(n.Pos, "no resource, and no kind, is called %s", n.Of), n.Of, types, "strata show prints the resources that there are"), true
}

// useKinds reports rules of kinds that nothing has obeyed. Those of what a
// narrowed run does not have, or a lenient one leaves out, are not its affair.
func (b *build) useKinds(context.Context) error {
	b.useKindNames()
	byKind := map[string]*model.Resource{}
	for _, r := range b.refined {
		byKind[b.kindOf(r)] = r
	}
	for _, kind := range slices.Sorted(maps.Keys(b.config.Kinds)) {
		rules, r := b.config.Kinds[kind], byKind[kind]
		switch {
		case r != nil:
			b.useRenames(r, rules.Rename, rules.Pos.Path+".rename")
			b.useStatus(r, rules)
		case b.Only.IsZero() && len(b.omitted) == 0:
			b.Messages.Add(nearest(diag.Errorf(rules.Pos, "no kind is called %s", kind), kind, slices.Sorted(maps.Keys(byKind)),
				"strata show prints the kinds that there are"))
		}
	}
	return nil
}

// useRenames reports properties that no version of a resource has.
func (b *build) useRenames(r *model.Resource, renames map[string]string, path string) {
	for _, name := range slices.Sorted(maps.Keys(renames)) {
		if !slices.ContainsFunc(r.Versions, func(v *model.Version) bool { return hasOutside(v, name) }) {
			b.Messages.Add(diag.Errorf(b.config.At(diag.Key(path, name)), "no version of %s has a property %q at its root", r.Kind, name).
				WithHint("only properties beside \"properties\" can be renamed here; letter case does not count"))
		}
	}
}

// useStatus reports a status subresource that no version lacks.
func (b *build) useStatus(r *model.Resource, rules config.KindRules) {
	lacks := func(v *model.Version) bool { return v.Facts.Get(model.StatusSubresource) == "" }
	if rules.AddStatus && (!r.IsNative() || !slices.ContainsFunc(r.Versions, lacks)) {
		b.Messages.Add(diag.Errorf(b.config.At(rules.Pos.Path+".status"), "every version of %s has a status subresource", r.Kind).WithHint("remove the key"))
	}
}

// hasOutside tells whether the body of a version has a property that is called
// otherwise outside.
func hasOutside(v *model.Version, name string) bool {
	return slices.ContainsFunc([]model.Type{v.Spec, v.Status}, func(t model.Type) bool {
		root, ok := t.(*model.Ref)
		return ok && slices.ContainsFunc(root.Def.Object().Properties, func(p *model.Property) bool { return strings.EqualFold(p.Wire, name) })
	})
}

// nearest adds the name that is meant, or a hint.
func nearest(m diag.Message, name string, known []string, otherwise string) diag.Message {
	if near := diag.Nearest(name, known); near != "" {
		return m.WithHint("did you mean %q?", near)
	}
	return m.WithHint("%s", otherwise)
}
