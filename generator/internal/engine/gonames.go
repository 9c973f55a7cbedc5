package engine

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// useNames reports chosen Go names of properties, types and values that no schema has. It adds a
// note about the names that Go code spells by code points, with the lines that choose better ones.
func (ms Models) useNames(rf Refined) {
	known := map[string]model.Pos{}
	chooses := len(ms.config.Names) > 0
	add := func(name string, at model.Pos) {
		if _, ok := known[name]; !ok && (chooses || !refine.IsSpelled(name)) {
			known[name] = at
		}
	}
	eachName(rf.Resources, add)
	eachName(ms.Resources, add) // refined types have Go names
	all := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(ms.config.Names)) {
		if _, ok := known[name]; !ok && ms.Only.IsZero() && len(rf.Omitted) == 0 && !ms.hasNamed(rf, ms.config.Names[name]) {
			ms.Messages.Add(nearest(diag.Errorf(ms.config.At(diag.Key("names", name)), "no property, type or value is called %q", name), name, all, "remove the entry"))
		}
	}
	ms.warnOfShared(rf)
	unspelled := slices.DeleteFunc(all, func(name string) bool { return refine.IsSpelled(name) || ms.config.Names[name] != "" })
	if len(unspelled) == 0 {
		return
	}
	const most = 20
	lines, taken := []string{"names:"}, map[string]bool{}
	for _, id := range ms.config.Names {
		taken[strings.ToLower(id)] = true
	}
	for _, name := range unspelled[:min(len(unspelled), most)] {
		first := refine.Identifier(name)
		id := first
		for n := 2; taken[strings.ToLower(id)]; n++ {
			id = first + "N" + strconv.Itoa(n)
		}
		taken[strings.ToLower(id)] = true
		lines = append(lines, "  "+strconv.Quote(name)+": "+id)
	}
	var others string
	if n := len(unspelled) - 1; n > 0 {
		others = ", and " + strconv.Itoa(n) + " more such"
	}
	ms.Messages.Add(diag.Notef(ms.positions.At(known[unspelled[0]]), "%q is %s in Go, because its letters have no Latin ones%s", unspelled[0], refine.Identifier(unspelled[0]), others).
		WithHint("choose Go names in %s:", filepath.Base(ms.config.File)).WithPaste(strings.Join(lines, "\n") + "\n"))
}

// warnOfShared warns of chosen names that another property of the same object has in Go too. Only
// the first of the two keeps it, which may not be the one that Go code uses already.
func (ms Models) warnOfShared(rf Refined) {
	chosen, warned := refine.Names(ms.config.Names), map[string]bool{}
	warn := func(d *model.Def, of, other *model.Property) {
		id, ok := chosen[of.Name]
		if !ok || warned[of.Name] {
			return
		}
		warned[of.Name] = true
		ms.Messages.Add(diag.Warnf(ms.config.At(diag.Key("names", of.Name)), "%q is %s in Go, which is also the name of %q in %s: the later one gets a number", of.Name, id, other.Name, d.Name).
			WithHint("choose a name that %s has not", d.Name))
	}
	for _, r := range rf.Resources {
		for _, v := range r.Versions {
			for _, d := range model.Closure(v.Spec, v.Status) {
				if d.Object() == nil || len(chosen) == 0 {
					continue
				}
				first := map[string]*model.Property{}
				for _, p := range d.Object().Properties {
					id := chosen.Identifier(p.Name)
					if other := first[id]; other != nil {
						warn(d, p, other)
						warn(d, other, p)
						continue
					}
					first[id] = p
				}
			}
		}
	}
}

// hasNamed reports whether a type that only the ledger has may have a Go name by the user's choice:
// the ledger has its Go name, and not what its schema called it.
func (ms Models) hasNamed(rf Refined, id string) bool {
	declared := map[[2]string]bool{}
	for _, r := range ms.Resources {
		for _, v := range r.Versions {
			declared[[2]string{strings.ToLower(r.Type), v.Name}] = true
		}
	}
	for _, r := range rf.Resources {
		for _, v := range r.Versions {
			if !declared[[2]string{strings.ToLower(r.Type), v.Name}] && slices.ContainsFunc(model.Closure(v.Spec, v.Status), func(d *model.Def) bool { return strings.HasPrefix(d.Name, id) }) {
				return true
			}
		}
	}
	return false
}

// eachName calls add with what resources call their properties, types and values, and a place.
func eachName(resources []*model.Resource, add func(name string, at model.Pos)) {
	for _, r := range resources {
		for _, v := range r.Versions {
			for _, d := range model.Closure(v.Spec, v.Status) {
				add(d.Name, d.Pos)
				o, ok := d.Type.(*model.Object)
				if !ok {
					continue
				}
				for _, p := range o.Properties {
					add(p.Name, p.Pos)
					_, inner := chain.Unwrap(p.Type)
					if t, ok := inner.(*model.Enum); ok {
						for _, v := range t.Values {
							add(strings.Trim(v, `"`), p.Pos)
						}
					}
				}
			}
		}
	}
}
