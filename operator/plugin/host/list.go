package host

import (
	"context"
	"slices"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// Row is a name of a kind.
type Row struct {
	Kind, Name string
	Path       string
	Digest     string // that of the program is locked to; empty where it is not
	Versions   []int  // what the plugin has, also what this host does not know
	Native     int    // the version of it that is used; 0 where none will do
	Newest     int    // the version that the host hands out
	Err        error  // why none will do
}

// IsAdapted reports whether the host hands out another version than the plugin's own.
func (r Row) IsAdapted() bool { return r.Native != 0 && r.Native != r.Newest }

// List lists all names of the kinds, each once.
func (h *Host) List(ctx context.Context, kinds ...contract.Kind) ([]Row, error) {
	if err := h.load(ctx); err != nil {
		return nil, err
	}
	var rows []Row
	for _, kind := range kinds {
		terms, err := kind.Terms()
		if err != nil {
			return nil, err
		}
		for _, name := range h.registry.names(terms.Kind) {
			rows = append(rows, h.row(kind, terms, name))
		}
	}
	return rows, nil
}

func (h *Host) row(kind contract.Kind, terms *contract.Terms, name string) Row {
	e, _ := h.registry.find(terms.Kind, name)
	r := Row{Kind: terms.Kind, Name: name, Path: e.process.path, Versions: e.versions, Newest: terms.Number}
	for _, p := range h.options.Plugins {
		if p.Path == r.Path {
			r.Digest = p.Digest
		}
	}
	native, err := kind.Reach(func(id contract.ID) bool { return slices.Contains(e.versions, id.Number) })
	if err != nil {
		r.Err = err
		if e.versions[0] > terms.Number { // there is one at least, or there were no name
			r.Err = h.registry.missing(terms.ID, name)
		}
		return r
	}
	r.Native = native.Number
	return r
}

// Served lists what the plugins serve that have been asked, or are locked: all kinds and versions, sorted.
func (h *Host) Served() []contract.Served { return h.registry.all() }
