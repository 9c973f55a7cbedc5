package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/source"
)

// link links the versions of all resources, and computes the ledger after the run.
func link(ctx context.Context, ag Augmented) (Chain, error) {
	if err := ag.enter(ctx, "linking versions"); err != nil {
		return Chain{}, err
	}
	known := removals.Of(ag.config).About(func(group, version, typ string) bool {
		return ag.scope.judges(group, version, typ, ag.Resources)
	})
	known.Changes = append(known.Changes, ag.changesOfSources()...)
	linked, problems := chain.Link(ctx, ag.Resources, chain.Options{
		Suffix: ag.config.Groups.Suffix, Folders: ag.folders, Records: ag.Ledger.Records(),
		Renames: append(renamesOf(known), ag.renamesOfSources()...), Conversions: conversionsOf(known), Changes: changesOf(known), Breaks: ag.breaks(), Prune: ag.pruning, Hub: ag.hub,
	})
	if ctx.Err() != nil {
		return Chain{}, ctx.Err()
	}
	ch := Chain{Augmented: ag, chain: linked}
	ch.check(known, problems)
	ch.Next = ag.Ledger.With(linked, ag.scope.hasType, ledger.Decisions{Served: ch.served, Made: ch.made})
	return ch, ch.leave(ctx, nil)
}

// check reports contradictions to the configuration or the ledger, and the problems of linking.
func (ch Chain) check(known removals.Metadata, problems []chain.Problem) {
	ch.checkFolders()
	ch.checkStored()
	ch.checkHubs()
	ch.checkCircles()
	ch.checkPruning()
	ch.checkAbsent()
	ch.checkMade()
	ch.checkUnserving()
	faults := removals.Faults(ch.chain, known)
	ch.Messages.Add(faults...)
	ch.checkNone(known)
	for _, p := range problems {
		if !slices.ContainsFunc(faults, func(m diag.Message) bool { return isAt(m, p.Pos) }) {
			ch.Messages.Add(diag.Errorf(ch.at(p.Pos), "%s", p.Text).WithHint("%s", p.Hint))
		}
	}
	ch.checkPackages()
}

// hub returns the version that the configuration chooses as a resource's hub; empty if there is
// none.
func (run *Run) hub(r *model.Resource) string { return run.config.Kinds[run.kindOf(r)].Hub }

// checkHubs reports choices of hubs that are not possible.
func (ch Chain) checkHubs() {
	for _, g := range ch.chain.Groups {
		for _, r := range g.Resources {
			chosen := ch.hub(r.Model)
			if chosen == "" || chosen == r.Hub.Model.Name || chosen == r.Hub.Label {
				continue
			}
			m := diag.Errorf(ch.config.At(ch.config.Kinds[ch.kindOf(r.Model)].Pos.Path+".hub"), "%s cannot be the hub of %s", chosen, r.Model.Kind)
			var names []string
			for _, v := range r.Versions {
				if !v.Leaf && !v.Pruned {
					names = append(names, v.Model.Name)
				}
			}
			ch.Messages.Add(m.WithHint("a stable version can be, and a preview before the first of these: %s", strings.Join(names, ", ")))
		}
	}
}

// checkCircles reports choices of hubs with which storage packages of a group import each other.
func (ch Chain) checkCircles() {
	for _, g := range ch.chain.Groups {
		circle := g.Circle()
		i := slices.IndexFunc(circle, func(l chain.Lead) bool { return l.Resource.IsChosen() })
		if i < 0 {
			continue
		}
		circle = slices.Concat(circle[i:], circle[:i])
		var steps []string
		for _, l := range circle {
			steps = append(steps, l.Resource.Model.Kind+" from "+l.From.Model.Name+" to "+l.To.Model.Name)
		}
		r := circle[0].Resource
		var hubs []string
		for i, hub := range g.HubsBeside(r.Hub) {
			if hub != nil {
				hubs = append(hubs, ch.kindOf(g.Resources[i].Model)+": {hub: "+strconv.Quote(hub.Model.Name)+"}")
			}
		}
		m := diag.Errorf(ch.config.At(ch.config.Kinds[ch.kindOf(r.Model)].Pos.Path+".hub"),
			"with this hub, the storage packages of the group %s import each other in a circle: %s", g.Folder, strings.Join(steps, ", "))
		ch.Messages.Add(m.WithHint("choose hubs on one side of each step: `kinds: {%s}`", strings.Join(hubs, ", ")))
	}
}

// checkFolders reports folders of groups that do not exist.
func (ch Chain) checkFolders() {
	known := map[string]bool{}
	for _, g := range ch.chain.Groups {
		known[strings.ToLower(g.Provider)] = true
	}
	for _, provider := range sortedKeys(ch.config.Groups.Folders) {
		if !known[strings.ToLower(provider)] && ch.Only.IsZero() && len(ch.Omitted) == 0 {
			ch.Messages.Add(nearest(diag.Errorf(ch.config.At(diag.Key("groups.folders", provider)), "there is no group %s", provider), provider, sortedKeys(known),
				"strata show prints the groups that there are"))
		}
	}
}

// renamesOf returns the renames of metadata in the form of package chain.
func renamesOf(m removals.Metadata) []chain.Rename {
	var out []chain.Rename
	for _, n := range m.Renames {
		out = append(out, chain.Rename{
			Folder: n.Group, Version: n.Version, Type: n.Type, Property: n.Property, To: n.To, In: n.In,
			Pos: model.Pos{File: n.Pos.File, Offset: n.Pos.Offset},
		})
	}
	return out
}

// renamesOfSources returns the renames that sources state.
func (ag Augmented) renamesOfSources() []chain.Rename {
	var out []chain.Rename
	for _, n := range ag.Renames {
		out = append(out, chain.Rename{
			Folder: ag.folderOf(&model.Resource{Type: n.Resource}), Version: n.Version, Type: n.Type, Property: n.Property, To: n.To,
			In: n.Leaf, Pos: n.Pos, Stated: true,
		})
	}
	return out
}

// changesOfSources returns the changes that sources declare, of versions that take part in the run,
// as metadata.
func (ag Augmented) changesOfSources() []config.Change {
	var out []config.Change
	for _, c := range ag.Changes {
		i := slices.IndexFunc(ag.Resources, func(r *model.Resource) bool { return strings.EqualFold(r.Type, c.Resource) })
		if i < 0 || ag.Resources[i].Version(c.Version) == nil {
			continue
		}
		n := config.Change{
			Group: ag.folderOf(ag.Resources[i]), Version: c.Version, Type: c.Type, Property: c.Property, Operation: c.Operation, In: c.In, Pos: ag.positions.At(c.Pos),
		}
		isSame := func(m config.Change) bool {
			return m.Group == n.Group && m.Version == n.Version && m.Type == n.Type && m.Property == n.Property
		}
		if !slices.ContainsFunc(out, isSame) {
			out = append(out, n)
		}
	}
	return out
}

// breaks returns the breaks where functions convert earlier values.
func (ag Augmented) breaks() []chain.Break {
	var out []chain.Break
	for _, f := range ag.Functions {
		if at, ok := ag.effect(f); ok && f.Up != nil {
			out = append(out, chain.Break{Folder: ag.folderOf(&model.Resource{Type: f.Resource}), Version: at.Version, Type: at.Type, Property: at.Property})
		}
	}
	return out
}

// effect returns where a function takes effect. If the chain skips its version, that is the next
// version.
func (ag Augmented) effect(f source.Function) (source.Spot, bool) {
	return f.From(func(version string) bool { return ag.pruning(f.Resource, version) != chain.Dropped })
}

// planned returns the functions of sources in the form of package plan.
func (ag Augmented) planned() []plan.Function {
	var out []plan.Function
	for _, f := range ag.Functions {
		if at, ok := ag.effect(f); ok {
			out = append(out, plan.Function{
				Resource: f.Resource, Version: at.Version, Type: at.Type, Property: at.Property,
				Up: (*plan.Call)(f.Up), Down: (*plan.Call)(f.Down), Fill: (*plan.Call)(f.Fill), Values: f.Values, ID: fillID(f),
			})
		}
	}
	return out
}

// fillID returns the mark of a function that fills a property. Marks of functions that convert
// the property lack the suffix.
func fillID(f source.Function) string { return f.Version + "." + f.Type + "." + f.Property + ".added" }

var modes = map[config.Mode]chain.Mode{config.Auto: chain.Auto, config.Custom: chain.Custom, config.None: chain.None}

// conversionsOf returns the conversions of metadata in the form of package chain.
func conversionsOf(m removals.Metadata) []chain.Conversion {
	var out []chain.Conversion
	for _, n := range m.Conversions {
		out = append(out, chain.Conversion{Folder: n.Group, Version: n.Version, Type: n.Type, Property: n.Property, Mode: modes[n.Mode]})
	}
	return out
}

// changesOf returns the declared changes of metadata in the form of package chain.
func changesOf(m removals.Metadata) []chain.Change {
	var out []chain.Change
	for _, n := range m.Changes {
		out = append(out, chain.Change{Folder: n.Group, Version: n.Version, Type: n.Type, Property: n.Property, Operation: n.Operation, In: n.In})
	}
	return out
}

func isAt(m diag.Message, pos model.Pos) bool {
	return m.Pos.File == pos.File && m.Pos.Offset == pos.Offset
}

// at returns a position in a schema or in the configuration.
func (run *Run) at(pos model.Pos) diag.Pos {
	for _, n := range run.config.Renames {
		if n.Pos.File == pos.File && n.Pos.Offset == pos.Offset {
			return n.Pos
		}
	}
	return run.positions.At(pos)
}
