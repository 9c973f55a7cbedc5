package chain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/model"
)

// TestDeclared links the models of every archive in testdata/declared, and prints what follows from
// declared changes: which versions share values of a property, what converts them, their keys, and
// the properties that stay apart. An archive optionally has renames, a hub, versions of which only
// storage types are generated, and the model that the ledger has of an earlier run.
func TestDeclared(t *testing.T) {
	golden.Run(t, "testdata/declared/*.txtar", "declared.txt", func(t *testing.T, files golden.Files) string {
		stored := strings.Fields(files["stored.txt"])
		opts := Options{
			Renames: renames(files["renames.txt"]), Hub: func(*model.Resource) string { return strings.TrimSpace(files["hub.txt"]) },
			Prune: func(_, version string) Pruning {
				if slices.Contains(stored, version) {
					return Stored
				}
				return Whole
			},
		}
		for _, c := range chaintest.ParseDeclared(files["changes.txt"]) {
			opts.Changes = append(opts.Changes, Change{"a", c.Version, c.Type, c.Property, c.Operation, c.In})
		}
		if before := files["before.txt"]; before != "" {
			r := models(t, before)[0]
			opts.Records = map[string]*Record{strings.ToLower(r.Type): {Model: r}}
		}
		c, problems := Link(context.Background(), models(t, files["model.txt"]), opts)
		var b strings.Builder
		for _, p := range problems {
			fmt.Fprintf(&b, "problem: %s\n", p.Text)
		}
		r := c.Groups[0].Resources[0]
		paths := r.Paths()
		for _, p := range r.Places() {
			fmt.Fprintf(&b, "object %q\n", paths[p])
			for _, l := range p.Lineages {
				listValues(&b, l)
			}
			listMembers(&b, p)
		}
		for _, pair := range r.Rivals() {
			fmt.Fprintf(&b, "rivals: %s.%s %s, %s.%s %s\n", pair[0].Type, pair[0].Property, pair[0], pair[1].Type, pair[1].Property, pair[1])
		}
		for _, a := range r.Apart() {
			fmt.Fprintf(&b, "apart: %s of %s in %s from %s before %s\n", a.Property.Name, a.Def.Name, a.Leaf.Label, a.Before, a.Next.Label)
		}
		return b.String()
	})
}

// listValues prints a lineage. A bar separates versions that do not hand values over as they are.
func listValues(b *strings.Builder, l *Lineage) {
	r := l.Place.Resource
	fmt.Fprintf(b, "  %s: %s\n", l.Name(), strings.Join(sharedValues(l), " | "))
	for i, v := range r.Versions {
		for j, w := range r.Versions {
			if v.Next == w || w.Next == v {
				for _, o := range l.Changes(i, j) {
					fmt.Fprintf(b, "    %s to %s: %s\n", v.Label, w.Label, o)
				}
			}
			if i < j && !v.Leaf && l.IsLed(i, j) {
				fmt.Fprintf(b, "    what %s declares leads to %s\n", v.Label, w.Label)
			}
		}
	}
	for i, q := range l.Live {
		if q == nil {
			continue
		}
		if k := l.Key(i); k != nil {
			fmt.Fprintf(b, "    key in %s: %s\n", r.Versions[i].Label, strings.Join(k.Names(), ", "))
		}
		if r.Leaves(i, l.Place.Defs[i], q) {
			fmt.Fprintf(b, "    leaves after %s\n", r.Versions[i].Label)
		}
		if l.Place.IsStatedApart(r.Versions[i], q) {
			fmt.Fprintf(b, "    stated apart in %s\n", r.Versions[i].Label)
		}
	}
}

// sharedValues lists the versions that have a lineage, those that share values together.
func sharedValues(l *Lineage) []string {
	var groups []string
	var first []int
	for i, q := range l.Live {
		if q == nil {
			continue
		}
		at := l.Place.Resource.Versions[i].Label
		if q.Name != l.Name() {
			at += "(" + q.Name + ")"
		}
		g := slices.IndexFunc(first, func(f int) bool { return l.Transfers(f, i) })
		if g < 0 {
			first, groups = append(first, i), append(groups, at)
		} else {
			groups[g] += " " + at
		}
	}
	return groups
}

// listMembers prints the moves of a place's properties, and what its additional members can be.
func listMembers(b *strings.Builder, p *Place) {
	r := p.Resource
	for i, v := range r.Versions {
		for j, w := range r.Versions {
			if v.Next != w && w.Next != v {
				continue
			}
			for _, m := range p.Moves(i, j) {
				fmt.Fprintf(b, "  moves from %s to %s: %s to %s by %s\n", v.Label, w.Label, spelled(m.Far, i), spelled(m.Near, j), m.Operation)
			}
		}
	}
	if !p.IsMixed() {
		return
	}
	for _, f := range p.Furthers() {
		fmt.Fprintf(b, "  further %s: key %s\n", f.Name, f.Key)
	}
	fmt.Fprintf(b, "  unlike: %s\n", strings.Join(p.Unlike(), ", "))
	for i, v := range r.Versions {
		if names := p.Foreign(i); len(names) > 0 {
			fmt.Fprintf(b, "  foreign to %s: %s\n", v.Label, strings.Join(names, ", "))
		}
	}
}

// spelled returns the names on a path in a version.
func spelled(path []*Lineage, version int) string {
	var names []string
	for _, l := range path {
		names = append(names, l.Live[version].Name)
	}
	return strings.Join(names, ".")
}
