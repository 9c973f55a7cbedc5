package engine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// checkNone reports `conversion: none` for properties that earlier runs converted. Stored objects
// have their values in the next version's property, and would be read without them.
func (ch Chain) checkNone(known removals.Metadata) {
	for _, n := range known.Conversions {
		if n.Mode != config.None {
			continue
		}
		if property, next := ch.converted(n); next != nil {
			ch.Messages.Add(diag.Errorf(n.Pos, "%s of %s has been converted to %s before: objects are stored so", property, n.Type, next.Model.Name).
				WithHint("remove `conversion: none`: it can be set for a version only before the next one has been generated"))
		}
	}
}

// converted returns a property that the metadata applies to, and the version to whose property it
// was converted when both were generated. It returns nil if there is none.
func (ch Chain) converted(n config.Conversion) (property string, next *chain.Version) {
	for _, g := range ch.chain.Groups {
		if g.Folder != n.Group {
			continue
		}
		for _, r := range g.Resources {
			for _, p := range r.Places() {
				if property, next = ch.convertedAt(p, n); next != nil {
					return property, next
				}
			}
		}
	}
	return "", nil
}

func (ch Chain) convertedAt(p *chain.Place, n config.Conversion) (property string, next *chain.Version) {
	r := p.Resource
	at := slices.IndexFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Name == n.Version })
	if at < 0 || p.Defs[at] == nil || p.Defs[at].Name != n.Type || !ch.remembers(r, r.Versions[at]) {
		return "", nil
	}
	members := p.Members(at)
	meant := members
	if n.Property != "" {
		if meant = model.Named(members, n.Property); len(meant) > 1 {
			return "", nil // an error of its own
		}
	}
	for _, q := range meant {
		if q.Name == chain.AdditionalName || ch.hasKey(r, n.Version, q.Name) {
			continue
		}
		for _, w := range r.Versions {
			if isTarget(r.Versions[at], w) && ch.remembers(r, w) && model.Counterpart(q, members, p.Members(w.Index)) != nil {
				return q.Name, w
			}
		}
	}
	return "", nil
}

// isTarget reports whether the properties of w are matched with those of v.
func isTarget(v, w *chain.Version) bool {
	return w.Index > v.Index && !w.Leaf || v.Leaf && w == v.Next
}

func (src Sources) remembers(r *chain.Resource, v *chain.Version) bool {
	return src.Ledger.Version(r.Model.Type, v.Model.Name) != nil
}

// hasKey reports whether the ledger has a key of a version's property, at any path.
func (src Sources) hasKey(r *chain.Resource, version, property string) bool {
	return slices.ContainsFunc(src.Ledger.Find(r.Model.Type).Keys, func(k chain.KeyRow) bool {
		return k.Version == version && k.Property == property
	})
}
