package ledger

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Ledger is what one output folder remembers, in order of arrival.
type Ledger struct {
	Entries []*Entry
}

// Entry is what is remembered of one resource.
type Entry struct {
	Model  *model.Resource
	File   string         // below the ledger's folder: batch/batchaccount.txt
	Hubs   []string       // labels of the versions that have been the hub
	Served []string       // labels of the versions that are served
	Keys   []chain.KeyRow // in the order in which they were given
}

// Find returns the entry of a resource type, whatever its spelling, or nil.
func (l *Ledger) Find(resourceType string) *Entry {
	for _, e := range l.Entries {
		if strings.EqualFold(e.Model.Type, resourceType) {
			return e
		}
	}
	return nil
}

// Types lists the resource types in order of arrival, in lower case.
func (l *Ledger) Types() []string {
	var out []string
	for _, e := range l.Entries {
		out = append(out, strings.ToLower(e.Model.Type))
	}
	return out
}

// Models lists the models of all resources.
func (l *Ledger) Models() []*model.Resource {
	var out []*model.Resource
	for _, e := range l.Entries {
		out = append(out, e.Model)
	}
	return out
}

// Keys are the keys of all resources, by type in lower case.
func (l *Ledger) Keys() map[string][]chain.KeyRow {
	out := map[string][]chain.KeyRow{}
	for _, e := range l.Entries {
		out[strings.ToLower(e.Model.Type)] = e.Keys
	}
	return out
}

// Hubs are the labels of present and former hubs, by type in lower case.
func (l *Ledger) Hubs() map[string][]string {
	out := map[string][]string{}
	for _, e := range l.Entries {
		out[strings.ToLower(e.Model.Type)] = e.Hubs
	}
	return out
}

// With returns the ledger after a run: what it held, and what the chain holds
// beyond that. Served names the versions that the run serves.
func (l *Ledger) With(c *chain.Chain, served func(*chain.Resource) []string) *Ledger {
	resources := map[string]*chain.Resource{}
	var fresh []*chain.Resource
	for _, g := range c.Groups {
		for _, r := range g.Resources {
			resources[strings.ToLower(r.Model.Type)] = r
			if l.Find(r.Model.Type) == nil {
				fresh = append(fresh, r)
			}
		}
	}
	out := &Ledger{}
	for _, e := range l.Entries {
		if r := resources[strings.ToLower(e.Model.Type)]; r != nil {
			e = e.with(r, served(r))
		}
		out.Entries = append(out.Entries, e)
	}
	slices.SortFunc(fresh, func(a, b *chain.Resource) int {
		return cmp.Compare(strings.ToLower(a.Model.Type), strings.ToLower(b.Model.Type))
	})
	for _, r := range fresh {
		e := &Entry{File: r.Group.Folder + "/" + strings.ToLower(r.Model.Kind) + ".txt"}
		out.Entries = append(out.Entries, e.with(r, served(r)))
	}
	return out
}

// with returns the entry with what a chain adds.
func (e *Entry) with(r *chain.Resource, served []string) *Entry {
	m := &model.Resource{Type: r.Model.Type, Kind: r.Model.Kind, Plural: r.Model.Plural}
	for _, v := range r.Versions {
		m.Versions = append(m.Versions, v.Model)
	}
	return &Entry{
		Model:  m,
		File:   e.File,
		Hubs:   appendNew(e.Hubs, r.Hub.Label),
		Served: appendNew(e.Served, served...),
		Keys:   appendKeys(e.Keys, r.KeyRows()),
	}
}

func appendNew(list []string, more ...string) []string {
	out := slices.Clone(list)
	for _, s := range more {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func appendKeys(rows, more []chain.KeyRow) []chain.KeyRow {
	out := slices.Clone(rows)
	seen := map[string]bool{}
	for _, row := range rows {
		seen[line(row)] = true
	}
	for _, row := range more {
		if !seen[line(row)] {
			seen[line(row)] = true
			out = append(out, row)
		}
	}
	return out
}
