package ledger

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Ledger is what one output folder remembers, in order of arrival.
type Ledger struct {
	Entries []*Entry

	byType map[string]*Entry // in lower case; as long as Entries, or to be made
}

// Entry is what is remembered of one resource.
type Entry struct {
	Model  *model.Resource
	File   string         // below the ledger's folder: batch/batchaccount.txt
	Hubs   []string       // labels of the versions that have been the hub
	Served []string       // labels of the versions that are served, or were before the configuration unserved them
	Keys   []chain.KeyRow // in the order in which they were given
	Joins  []chain.Join   // how objects of one definition come by other rows than most
	Made   []Made
	// Lineages are the names of property histories that are not those of their properties.
	Lineages []chain.LineageRow
	// Older is the first line of a file of an earlier format, else empty. What a run is about is
	// written in the present one.
	Older string
}

// Find returns the entry of a resource type, whatever its spelling, or nil. It is
// not for several goroutines at once.
func (l *Ledger) Find(resourceType string) *Entry {
	if len(l.byType) != len(l.Entries) {
		l.byType = map[string]*Entry{}
		for _, e := range l.Entries {
			l.byType[strings.ToLower(e.Model.Type)] = e
		}
	}
	return l.byType[strings.ToLower(resourceType)]
}

// Version returns what is remembered of a resource in a version, or nil. The
// spelling of neither counts.
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

// Records are what all resources have of keys and lineages, by type in lower case.
func (l *Ledger) Records() map[string]*chain.Record {
	out := map[string]*chain.Record{}
	for _, e := range l.Entries {
		out[strings.ToLower(e.Model.Type)] = e.Record()
	}
	return out
}

// Record is what the entry has of keys and lineages.
func (e *Entry) Record() *chain.Record {
	out := &chain.Record{
		Model: e.Model, Keys: slices.Clone(e.Keys), Lineages: slices.Clone(e.Lineages), Joins: slices.Clone(e.Joins),
		EveryPath: e.Older == First, Unnamed: e.Older == First || e.Older == Second,
	}
	return out.Mirror()
}

// Hubs are the labels of present and former hubs, by type in lower case.
func (l *Ledger) Hubs() map[string][]string {
	out := map[string][]string{}
	for _, e := range l.Entries {
		out[strings.ToLower(e.Model.Type)] = e.Hubs
	}
	return out
}
