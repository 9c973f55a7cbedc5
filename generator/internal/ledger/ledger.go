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
	Made   []Made
}

// Made is a property that a source's functions make, since a version, of what it was before. Its type and name are those
// of that version.
type Made struct {
	Version  string
	How      How
	Type     string
	Property string
}

// How is what functions do.
type How string

// What functions do.
const (
	Converted How = "converted" // of the earlier value, and back
	Filled    How = "filled"    // of nothing
	Renamed   How = "renamed"   // of the same value under another name
)

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

// Keys are the keys of all resources, by type in lower case.
func (l *Ledger) Keys() map[string][]chain.KeyRow {
	out := map[string][]chain.KeyRow{}
	for _, e := range l.Entries {
		out[strings.ToLower(e.Model.Type)] = e.allKeys()
	}
	return out
}

// allKeys are the keys of an entry. While the status mirrors the spec it has the
// spec's keys; where it ceases to, it must read them on.
func (e *Entry) allKeys() []chain.KeyRow {
	if slices.ContainsFunc(e.Model.Versions, func(v *model.Version) bool { return v.Status != nil }) {
		return e.Keys
	}
	out := slices.Clone(e.Keys)
	for _, k := range e.Keys {
		k.Status, k.Mirrored = true, true
		out = append(out, k)
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
