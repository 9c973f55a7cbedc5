package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/assess"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/source"
)

// link makes the chain, and the ledger that the run leaves behind.
func (b *build) link(ctx context.Context) error {
	known := assess.Of(b.config).About(func(group, version, typ string) bool {
		return b.scope.judges(group, version, typ, b.refined)
	})
	c, problems := chain.Link(ctx, b.refined, chain.Options{
		Suffix: b.config.Groups.Suffix, Folders: b.folders, Records: b.old.Records(),
		Renames: append(renamesOf(known), b.renamesOfSources()...), Conversions: conversionsOf(known), Breaks: b.breaks(), Prune: b.pruning, Hub: b.hub,
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b.checkFolders(c)
	b.checkHubs(c)
	b.checkPruning(c)
	b.checkMade(c)
	b.checkUnserving(c)
	faults := assess.Faults(c, known)
	b.Messages.Add(faults...)
	b.checkNone(c, known)
	for _, p := range problems {
		if !slices.ContainsFunc(faults, func(m diag.Message) bool { return isAt(m, p.Pos) }) {
			b.Messages.Add(diag.Errorf(b.at(p.Pos), "%s", p.Text).WithHint("%s", p.Hint))
		}
	}
	b.chain = c
	b.checkPackages()
	b.next = b.old.With(c, b.scope.hasType, ledger.Said{Served: b.served, Made: b.made})
	return nil
}

// hub is the version that is chosen as a resource's hub, empty if none is.
func (b *build) hub(r *model.Resource) string { return b.config.Kinds[b.kindOf(r)].Hub }

// checkHubs reports choices that cannot be.
func (b *build) checkHubs(c *chain.Chain) {
	for _, g := range c.Groups {
		for _, r := range g.Resources {
			chosen := b.hub(r.Model)
			if chosen == "" || chosen == r.Hub.Model.Name || chosen == r.Hub.Label {
				continue
			}
			m := diag.Errorf(b.config.At(b.config.Kinds[b.kindOf(r.Model)].Pos.Path+".hub"), "%s cannot be the hub of %s", chosen, r.Model.Kind)
			var names []string
			for _, v := range r.Versions {
				if !v.Leaf && !v.Pruned {
					names = append(names, v.Model.Name)
				}
			}
			b.Messages.Add(m.WithHint("a stable version can be, and a preview before the first of these: %s", strings.Join(names, ", ")))
		}
	}
}

// checkFolders reports folders of groups that there are not.
func (b *build) checkFolders(c *chain.Chain) {
	known := map[string]bool{}
	for _, g := range c.Groups {
		known[strings.ToLower(g.Provider)] = true
	}
	for _, provider := range sortedKeys(b.config.Groups.Folders) {
		if !known[strings.ToLower(provider)] && b.Only.IsZero() && len(b.omitted) == 0 {
			b.Messages.Add(nearest(diag.Errorf(b.config.At(diag.Key("groups.folders", provider)), "there is no group %s", provider), provider, sortedKeys(known),
				"strata show prints the groups that there are"))
		}
	}
}

// renamesOf gives the renames of metadata, as the chain takes them.
func renamesOf(m assess.Metadata) []chain.Rename {
	var out []chain.Rename
	for _, n := range m.Renames {
		out = append(out, chain.Rename{
			Folder: n.Group, Version: n.Version, Type: n.Type, Property: n.Property, To: n.To,
			Pos: model.Pos{File: n.Pos.File, Offset: n.Pos.Offset},
		})
	}
	return out
}

// renamesOfSources gives the renames that sources tell of themselves. They know more versions than
// may take part, and so some may match nothing.
func (b *build) renamesOfSources() []chain.Rename {
	var out []chain.Rename
	for _, n := range b.renamed {
		out = append(out, chain.Rename{
			Folder: b.folderOf(&model.Resource{Type: n.Resource}), Version: n.Version, Type: n.Type, Property: n.Property, To: n.To,
			Pos: n.Pos, Optional: true,
		})
	}
	return out
}

// breaks tells where functions make other values of the earlier ones.
func (b *build) breaks() []chain.Break {
	var out []chain.Break
	for _, f := range b.functions {
		if at, ok := b.effect(f); ok && f.Up != nil {
			out = append(out, chain.Break{Folder: b.folderOf(&model.Resource{Type: f.Resource}), Version: at.Version, Type: at.Type, Property: at.Property})
		}
	}
	return out
}

// effect is where a function takes effect: where its version is stepped over, in the next one.
func (b *build) effect(f source.Function) (source.Spot, bool) {
	return f.From(func(version string) bool { return b.pruning(f.Resource, version) != chain.Dropped })
}

// planned gives the functions of sources, as the plan takes them.
func (b *build) planned() []plan.Function {
	var out []plan.Function
	for _, f := range b.functions {
		if at, ok := b.effect(f); ok {
			out = append(out, plan.Function{
				Resource: f.Resource, Version: at.Version, Type: at.Type, Property: at.Property,
				Up: (*plan.Call)(f.Up), Down: (*plan.Call)(f.Down), Fill: (*plan.Call)(f.Fill), Values: f.Values,
			})
		}
	}
	return out
}

var modes = map[config.Mode]chain.Mode{config.Auto: chain.Auto, config.Custom: chain.Custom, config.None: chain.None}

// conversionsOf gives the conversions of metadata, as the chain takes them.
func conversionsOf(m assess.Metadata) []chain.Conversion {
	var out []chain.Conversion
	for _, n := range m.Conversions {
		out = append(out, chain.Conversion{Folder: n.Group, Version: n.Version, Type: n.Type, Property: n.Property, Mode: modes[n.Mode]})
	}
	return out
}

func isAt(m diag.Message, pos model.Pos) bool {
	return m.Pos.File == pos.File && m.Pos.Offset == pos.Offset
}

// at gives a position in a schema or in the configuration.
func (b *build) at(pos model.Pos) diag.Pos {
	for _, n := range b.config.Renames {
		if n.Pos.File == pos.File && n.Pos.Offset == pos.Offset {
			return n.Pos
		}
	}
	return b.places.At(pos)
}

// addsStatus tells whether the configuration gives a resource's versions a status
// subresource.
func (b *build) addsStatus(r *chain.Resource) bool {
	return b.config.Kinds[b.kindOf(r.Model)].AddStatus
}

// options say how the plan is to be decided.
func (b *build) options() plan.Options {
	return plan.Options{
		First: b.old.Types(), Hubs: b.old.Hubs(), Serving: b.serving, AddStatus: b.addsStatus,
		Augmentations: b.steps, Functions: b.planned(), Own: b.own, Exports: b.exported(),
	}
}

// decide makes the plan.
func (b *build) decide(ctx context.Context) error {
	if b.plan = plan.Decide(ctx, b.chain, b.options()); ctx.Err() != nil {
		return ctx.Err()
	}
	b.checkOwn()
	b.checkExports()
	b.idle()
	b.warnOfNotes()
	b.astray()
	return nil
}

// warnOfNotes tells which versions keep what they cannot show in an annotation.
func (b *build) warnOfNotes() {
	for _, g := range b.plan.Groups {
		for _, k := range g.Kinds {
			var labels []string
			for _, kv := range k.Versions {
				if !kv.Subresource && kv.Serving.Served() {
					labels = append(labels, kv.Version.Label)
				}
			}
			if len(labels) > 0 && len(k.Versions) > 1 && b.scope.hasType(k.Resource.Model.Type) {
				b.Messages.Add(diag.Warnf(b.places.At(k.Versions[0].Version.Model.Pos),
					"%s has no status subresource in %s: what a version cannot show lies in an annotation there, which every writer of the object can edit, and above 256 KiB it cannot be read",
					k.Name, strings.Join(labels, ", ")).WithHint("give it one: kinds: {%s: {status: add}}", b.kindOf(k.Resource.Model)))
			}
		}
	}
}
