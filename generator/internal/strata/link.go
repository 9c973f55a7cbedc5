package strata

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/assess"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/source"
)

// link makes the chain, and the ledger that the run leaves behind.
func (b *build) link(context.Context) error {
	known := assess.Of(b.config).About(func(group, version, typ string) bool {
		return b.scope.judges(group, version, typ, b.refined)
	})
	c, problems := chain.Link(b.refined, chain.Options{
		Suffix: b.config.Groups.Suffix, Keys: b.old.Keys(),
		Renames: append(renamesOf(known), b.renamesOfSources()...), Conversions: conversionsOf(known), Breaks: breaksOf(b.functions), Prune: b.pruning,
	})
	b.checkPruning(c)
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
	b.next = b.old.With(c, b.scope.hasType, b.served)
	return nil
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
			Folder: folderOf(&model.Resource{Type: n.Resource}), Version: n.Version, Type: n.Type, Property: n.Property, To: n.To,
			Pos: n.Pos, Optional: true,
		})
	}
	return out
}

// breaksOf tells where functions make other values of the earlier ones.
func breaksOf(all []source.Function) []chain.Break {
	var out []chain.Break
	for _, f := range all {
		if f.Up != nil {
			out = append(out, chain.Break{Folder: folderOf(&model.Resource{Type: f.Resource}), Version: f.Version, Type: f.Type, Property: f.Property})
		}
	}
	return out
}

// functionsOf gives the functions of sources, as the plan takes them.
func functionsOf(all []source.Function) []plan.Function {
	var out []plan.Function
	for _, f := range all {
		out = append(out, plan.Function{
			Resource: f.Resource, Version: f.Version, Type: f.Type, Property: f.Property,
			Up: (*plan.Call)(f.Up), Down: (*plan.Call)(f.Down), Fill: (*plan.Call)(f.Fill), Values: f.Values,
		})
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
func (b *build) addsStatus(r *chain.Resource) bool { return b.config.Kinds[kindOf(r.Model)].AddStatus }

// decide makes the plan.
func (b *build) decide(context.Context) error {
	b.plan = plan.Decide(b.chain, plan.Options{
		First: b.old.Types(), Hubs: b.old.Hubs(), Serving: b.serving, AddStatus: b.addsStatus,
		Augmentations: b.steps, Functions: functionsOf(b.functions),
	})
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
					"%s has no status subresource in %s: what a version cannot show lies in an annotation there, which whoever writes the object can edit, and above 256 KiB it cannot be read",
					k.Name, strings.Join(labels, ", ")).WithHint("give it one: kinds: {%s: {status: add}}", kindOf(k.Resource.Model)))
			}
		}
	}
}
