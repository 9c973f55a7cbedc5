package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// kindOf returns a resource's name in the configuration, such as crm/Person.
func (run *Run) kindOf(r *model.Resource) string { return run.folderOf(r) + "/" + r.Kind }

// renames returns the names that the configuration gives to a resource's properties, by the
// vendor's names.
func (run *Run) renames(r *model.Resource) map[string]string {
	return run.config.Kinds[run.kindOf(r)].Rename
}

// chosenKind is a kind that the configuration has given to a resource type in this run.
type chosenKind struct {
	config.KindName
	resource string
}

// chosenKind returns the kind that the configuration chooses for a resource type, if there is
// one. otherwise is the default kind.
func (run *Run) chosenKind(resourceType, otherwise string) (chosenKind, bool) {
	folder := run.folderOf(&model.Resource{Type: resourceType})
	for _, n := range run.config.KindNames {
		if strings.EqualFold(n.Of, resourceType) || n.Of == folder+"/"+otherwise {
			return chosenKind{n, resourceType}, true
		}
	}
	return chosenKind{}, false
}

// useKindNames reports chosen names that the run has not used. Their kinds are in the ledger, and
// keep their names, or do not exist, or are named twice.
func (rf Refined) useKindNames(chosen []chosenKind) {
	for _, n := range rf.config.KindNames {
		if m, wrong := rf.unusedName(n, chosen); wrong {
			rf.Messages.Add(m)
		}
	}
}

func (rf Refined) unusedName(n config.KindName, chosen []chosenKind) (diag.Message, bool) {
	given := slices.IndexFunc(chosen, func(c chosenKind) bool { return c.KindName == n })
	var types []string
	for _, r := range rf.Resources {
		types = append(types, r.Type)
		isMeant := strings.EqualFold(n.Of, r.Type) || given >= 0 && strings.EqualFold(chosen[given].resource, r.Type)
		switch {
		case r.Kind == n.Kind && (isMeant || given < 0 && !strings.EqualFold(n.Of, rf.kindOf(r)) && strings.HasPrefix(n.Of, rf.folderOf(r)+"/")):
			return diag.Message{}, false // used now, or by an earlier run
		case given >= 0 && isMeant:
			return diag.Errorf(rf.config.At(n.Pos.Path+".kind"), "another resource of the provider is called %s, or like what belongs to it", n.Kind).WithHint("choose another name"), true
		case r.StatesKind() && isMeant:
			return diag.Errorf(n.Pos, "the kind of %s is %s in its source", r.Type, r.Kind).WithHint("remove the entry"), true
		case isMeant, n.Of == rf.kindOf(r) && rf.Ledger.Find(r.Type) != nil:
			return diag.Errorf(n.Pos, "%s is called %s in the ledger, and a name once given stays: objects may be stored under it", r.Type, r.Kind).WithHint("remove the entry"), true
		}
	}
	if !rf.Only.IsZero() || len(rf.Omitted) > 0 {
		return diag.Message{}, false
	}
	return nearest(diag.Errorf(n.Pos, "no resource, and no kind, is called %s", n.Of), n.Of, types, "strata show prints the resources that there are"), true
}

// useKinds reports rules of kinds that have no effect. It ignores rules of kinds that a run with
// --only does not have, or that a lenient run omits.
func (rf Refined) useKinds(chosen []chosenKind) {
	rf.useKindNames(chosen)
	byKind := map[string]*model.Resource{}
	for _, r := range rf.Resources {
		byKind[rf.kindOf(r)] = r
	}
	for _, kind := range slices.Sorted(maps.Keys(rf.config.Kinds)) {
		rules, r := rf.config.Kinds[kind], byKind[kind]
		switch {
		case r != nil:
			rf.useRenames(r, rules.Rename, rules.Pos.Path+".rename")
			rf.useStatus(r, rules)
		case rf.Only.IsZero() && len(rf.Omitted) == 0:
			rf.Messages.Add(nearest(diag.Errorf(rules.Pos, "no kind is named %s", kind), kind, slices.Sorted(maps.Keys(byKind)),
				"strata show lists the kinds"))
		}
	}
}

// useRenames reports renames of properties that no version of a resource has.
func (rf Refined) useRenames(r *model.Resource, renames map[string]string, path string) {
	for _, name := range slices.Sorted(maps.Keys(renames)) {
		if !slices.ContainsFunc(r.Versions, func(v *model.Version) bool { return hasExternalNames(v, name) }) {
			rf.Messages.Add(diag.Errorf(rf.config.At(diag.Key(path, name)), "no version of %s has a property %q at its root", r.Kind, name).
				WithHint("only properties beside \"properties\" can be renamed here; letter case does not count"))
		}
	}
}

// useStatus reports `status: add` if every version already has a status subresource.
func (rf Refined) useStatus(r *model.Resource, rules config.KindRules) {
	lacks := func(v *model.Version) bool { return !r.HasStatusSubresource(v) }
	if rules.AddStatus && !slices.ContainsFunc(r.Versions, lacks) {
		rf.Messages.Add(diag.Errorf(rf.config.At(rules.Pos.Path+".status"), "every version of %s has a status subresource", r.Kind).WithHint("remove the key"))
	}
}

// hasExternalNames reports whether the root of a version's spec or status has a renamed property
// with the given external name.
func hasExternalNames(v *model.Version, name string) bool {
	return slices.ContainsFunc([]model.Type{v.Spec, v.Status}, func(t model.Type) bool {
		root, ok := t.(*model.Ref)
		return ok && slices.ContainsFunc(root.Def.Object().Properties, func(p *model.Property) bool { return strings.EqualFold(p.Wire, name) })
	})
}

// nearest adds a hint: the nearest known name, or else the given hint.
func nearest(m diag.Message, name string, known []string, otherwise string) diag.Message {
	if near := diag.Nearest(name, known); near != "" {
		return m.WithHint("did you mean %q?", near)
	}
	return m.WithHint("%s", otherwise)
}
