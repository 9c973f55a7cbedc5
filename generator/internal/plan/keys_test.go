package plan_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/model"
)

// TestKeysStand checks that no later run changes how a stored key is read, at any path. Versions
// are added at any position, versions without keys are skipped, and properties turn out to be
// one. The record contains everything that a run knows of earlier runs.
func TestKeysStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { history(t, resource(t, "Microsoft.Shop/carts", "Cart")) })
}

// TestKeysOfSharedTypesStand checks the same for definitions that are used at many paths and
// within each other.
func TestKeysOfSharedTypesStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history(t, chaintest.Resources(t, chaintest.Options{Names: chaintest.Plain, Resources: 1, Versions: 5, Statuses: true})[0])
	})
}

func history(t *rapid.T, r *model.Resource) {
	key := strings.ToLower(r.Type)
	var before *chain.Resource
	dropped := map[string]bool{}
	opts := chain.Options{Prune: func(_, version string) chain.Pruning {
		if dropped[version] {
			return chain.Dropped
		}
		return chain.Whole
	}}
	for n := 1; n <= len(r.Versions); n++ {
		if before != nil {
			drop(t, before, dropped)
			opts.Renames = append(opts.Renames, renames(t, before)...)
		}
		part := &model.Resource{Type: r.Type, Kind: r.Kind, Plural: r.Plural, Versions: slices.Clone(r.Versions[:n])}
		c, problems := chain.Link(context.Background(), []*model.Resource{part}, opts)
		if len(problems) > 0 && len(opts.Renames) > 0 {
			return // what metadata says contradicts the record, and is refused
		}
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		now := c.Groups[0].Resources[0]
		if before != nil {
			readsAll(t, before, now)
		}
		record := now.Record()
		opts.Records = map[string]*chain.Record{key: record}
		again := link(t, opts, part).Groups[0].Resources[0]
		readsAll(t, now, again)
		if more := added(record, again.Record()); len(more) > 0 {
			t.Fatalf("with %d versions, the same run again adds to the record: %q", n, more)
		}
		before = now
	}
}

// added returns the rows and joins that a record has in addition to another.
func added(before, now *chain.Record) []string {
	var out []string
	for _, k := range now.Keys {
		if !slices.ContainsFunc(before.Keys, func(o chain.KeyRow) bool { return spell(k) == spell(o) }) {
			out = append(out, spell(k))
		}
	}
	for _, n := range now.Lineages {
		if !slices.ContainsFunc(before.Lineages, func(o chain.LineageRow) bool { return spell(n) == spell(o) }) {
			out = append(out, spell(n))
		}
	}
	for _, j := range now.Joins {
		if !slices.ContainsFunc(before.Joins, func(o chain.Join) bool { return spell(j) == spell(o) }) {
			out = append(out, spell(j))
		}
	}
	return out
}

// spell formats a row or join, without its index in the record.
func spell(x any) string {
	if k, ok := x.(chain.KeyRow); ok {
		return fmt.Sprintf("%t %s %q %s = %s %s", k.Status, k.Version, k.Path, k.Property, k.Name, k.Compat)
	}
	return fmt.Sprintf("%+v", x)
}

// drop skips some of the versions that the record does not name.
func drop(t *rapid.T, r *chain.Resource, dropped map[string]bool) {
	named := map[string]bool{r.Hub.Model.Name: true}
	for _, k := range r.Record().Keys {
		named[k.Version] = true
		for _, v := range r.Versions {
			named[v.Model.Name] = named[v.Model.Name] || v.Label == k.Compat
		}
	}
	for _, v := range r.Versions {
		if !named[v.Model.Name] && rapid.Bool().Draw(t, "drop") {
			dropped[v.Model.Name] = true
		}
	}
}

// renames returns renames of some properties that end.
func renames(t *rapid.T, r *chain.Resource) []chain.Rename {
	var out []chain.Rename
	for _, p := range r.Places() {
		for _, l := range p.Lineages {
			for _, other := range p.Lineages {
				if l != other && rapid.IntRange(0, 19).Draw(t, "rename") == 0 {
					out = append(out, renamed(p, l, other)...)
				}
			}
		}
	}
	return out
}

func renamed(p *chain.Place, l, other *chain.Lineage) []chain.Rename {
	r := p.Resource
	for i := range r.Versions {
		if l.Live[i] != nil && other.Live[i] != nil {
			return nil
		}
	}
	for _, v := range r.Versions {
		next := r.Versions[min(v.Index+1, len(r.Versions)-1)]
		if q, to := l.Live[v.Index], other.Live[next.Index]; q != nil && to != nil && l.Live[next.Index] == nil && other.Live[v.Index] == nil {
			return []chain.Rename{{Folder: r.Group.Folder, Version: v.Model.Name, Type: p.Defs[v.Index].Name, Property: q.Name, To: to.Name, Stated: true}}
		}
	}
	return nil
}

// readsAll checks that a later run reads every key of an earlier one at the same path, and that
// the first key is still the first.
func readsAll(t *rapid.T, before, now *chain.Resource) {
	for _, v := range before.Versions {
		at := slices.IndexFunc(now.Versions, func(w *chain.Version) bool { return w.Model.Name == v.Model.Name })
		if at < 0 {
			continue
		}
		w := walk{T: t, from: v.Index, to: at, version: v.Model.Name, seen: map[[2]*chain.Place]bool{}}
		w.places(before.Root, now.Root, "spec")
		if before.Status != nil && now.Status != nil {
			w.places(before.Status, now.Status, "status")
		} else if before.Status != nil {
			w.places(before.Status, now.Root, "status")
		}
	}
}

// walk compares the places of two runs.
type walk struct {
	*rapid.T
	from, to int // the version's numbers in both
	version  string
	seen     map[[2]*chain.Place]bool
}

func (w *walk) places(p, q *chain.Place, path string) {
	if w.seen[[2]*chain.Place{p, q}] {
		return
	}
	w.seen[[2]*chain.Place{p, q}] = true
	for _, l := range p.Lineages {
		live := l.Live[w.from]
		if live == nil || p.Defs[w.from].Map != nil {
			continue // the members of a map have the keys of the properties that they are, and else one of the runtime's
		}
		m := q.At(w.to, live.Name)
		had, _ := l.EntriesAt(w.from)
		has, _ := m.EntriesAt(w.to)
		for i, e := range had {
			found := slices.IndexFunc(has, func(x chain.Entry) bool { return x.Name == e.Name })
			if l.Borders(w.from) && (found < 0 || i == 0 && found > 0) {
				w.Fatalf("in %s, %s.%s was read from %v, and is from %v", w.version, path, live.Name, had, has)
			}
		}
		if c := l.Child(w.from); c != nil {
			w.places(c, m.Child(w.to), path+"."+live.Name)
		}
	}
}
