package ledger

import (
	"slices"
	"strings"
	"sync"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Ledger contains the entries of one output folder, in the order in which they were added.
type Ledger struct {
	Entries []*Entry

	mu     sync.Mutex
	byType map[string]*Entry // in lower case; rebuilt if the lengths differ
}

// Entry is the ledger's record of one resource.
type Entry struct {
	Model  *model.Resource
	File   string         // relative to the ledger's folder: batch/batchaccount.txt
	Hubs   []string       // labels of the versions that have been the hub
	Served []string       // labels of the versions that are served, or were before the configuration unserved them
	Keys   []chain.KeyRow // in the order in which they were given
	Joins  []chain.Join   // of objects with other rows than their definition's first path
	Made   []Made
	// Lineages are the names of lineages that differ from those of their properties.
	Lineages []chain.LineageRow
	// Older is the first line of a file of an earlier format; empty for the current one. A run
	// writes the entries that it is about in the current format.
	Older string
}

// Find returns the entry of a resource type in any spelling, or nil. It is safe for concurrent use.
func (l *Ledger) Find(resourceType string) *Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.byType) != len(l.Entries) {
		l.byType = map[string]*Entry{}
		for _, e := range l.Entries {
			l.byType[strings.ToLower(e.Model.Type)] = e
		}
	}
	return l.byType[strings.ToLower(resourceType)]
}

// Version returns the model of a resource version, or nil. Letter case is ignored in both names.
func (l *Ledger) Version(resourceType, name string) *model.Version {
	e := l.Find(resourceType)
	if e == nil {
		return nil
	}
	for _, v := range e.Model.Versions {
		if strings.EqualFold(v.Name, name) {
			return v
		}
	}
	return nil
}

// Types lists the resource types in the order in which they were added, in lower case.
func (l *Ledger) Types() []string {
	var out []string
	for _, e := range l.Entries {
		out = append(out, strings.ToLower(e.Model.Type))
	}
	return out
}

// Models returns the models of all resources.
func (l *Ledger) Models() []*model.Resource {
	var out []*model.Resource
	for _, e := range l.Entries {
		out = append(out, e.Model)
	}
	return out
}

// Records returns the records of keys and lineages of all resources, by type in lower case.
func (l *Ledger) Records() map[string]*chain.Record {
	out := map[string]*chain.Record{}
	for _, e := range l.Entries {
		out[strings.ToLower(e.Model.Type)] = e.Record()
	}
	return out
}

// Record returns the entry's record of keys and lineages.
func (e *Entry) Record() *chain.Record {
	out := &chain.Record{
		Model: e.Model, Keys: slices.Clone(e.Keys), Lineages: slices.Clone(e.Lineages), Joins: slices.Clone(e.Joins),
		EveryPath: e.Older == First, Unnamed: e.Older == First || e.Older == Second,
	}
	return out.Mirror()
}

// Hubs returns the labels of present and former hubs, by type in lower case.
func (l *Ledger) Hubs() map[string][]string {
	out := map[string][]string{}
	for _, e := range l.Entries {
		out[strings.ToLower(e.Model.Type)] = e.Hubs
	}
	return out
}
