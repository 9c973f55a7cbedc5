package ledger

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// Decisions are the decisions of a run about a resource that are not in its model.
type Decisions struct {
	Served func(*chain.Resource) []string // the versions that the run serves
	Made   func(*chain.Resource) []Made   // properties made by functions or changes; may be nil
}

// With returns the ledger after a run: the entries that it has, and those that the chain adds.
// about reports which resource types the run is about; other entries do not change.
func (l *Ledger) With(c *chain.Chain, about func(resourceType string) bool, decisions Decisions) *Ledger {
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
		if r := resources[strings.ToLower(e.Model.Type)]; r != nil && about(e.Model.Type) {
			e = e.with(r, decisions)
		}
		out.Entries = append(out.Entries, e)
	}
	slices.SortFunc(fresh, func(a, b *chain.Resource) int {
		return cmp.Compare(strings.ToLower(a.Model.Type), strings.ToLower(b.Model.Type))
	})
	files := fileNames{}
	for _, e := range out.Entries {
		files[strings.ToLower(e.File)] = true
	}
	for _, r := range fresh {
		e := &Entry{File: files.free(r.Group.Folder, r.Model.Kind)}
		out.Entries = append(out.Entries, e.with(r, decisions))
	}
	return out
}

// fileNames are the names of files in use, in lower case.
type fileNames map[string]bool

// free returns the name of a new entry's file, and reserves it.
func (taken fileNames) free(folder, kind string) string {
	name := folder + "/" + plaintext.FileName(strings.ToLower(kind))
	file := name + ".txt"
	for n := 2; taken[strings.ToLower(file)]; n++ {
		file = name + strconv.Itoa(n) + ".txt"
	}
	taken[strings.ToLower(file)] = true
	return file
}

// with returns the entry with the additions of a chain.
func (e *Entry) with(r *chain.Resource, decisions Decisions) *Entry {
	m := r.Model.Head()
	for _, v := range r.Versions {
		m.Versions = append(m.Versions, v.Model)
	}
	if e.Model != nil {
		m.Versions = append(m.Versions, e.dropped(m)...)
		slices.SortStableFunc(m.Versions, func(a, b *model.Version) int { return chain.Compare(a.Name, b.Name) })
	}
	record := r.Record()
	out := &Entry{
		Model:  m,
		File:   e.File,
		Hubs:   appendNew(e.Hubs, r.Hub.Label),
		Served: appendNew(e.Served, decisions.Served(r)...),
		Keys:   record.Keys,
		Joins:  record.Joins,

		Lineages: record.Lineages,
		Made:     e.Made,
	}
	if decisions.Made != nil {
		out.Made = withMade(e.Made, decisions.Made(r))
	}
	return out
}

// dropped returns the versions of an entry that a model does not have, because the chain skips
// them.
func (e *Entry) dropped(m *model.Resource) []*model.Version {
	var out []*model.Version
	for _, v := range e.Model.Versions {
		if m.Version(v.Name) == nil {
			out = append(out, v)
		}
	}
	return out
}

func appendNew[T comparable](list []T, more ...T) []T {
	out, known := slices.Clone(list), map[T]bool{}
	for _, s := range list {
		known[s] = true
	}
	for _, s := range more {
		if !known[s] {
			known[s] = true
			out = append(out, s)
		}
	}
	return out
}
