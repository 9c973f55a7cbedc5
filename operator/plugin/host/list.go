package host

import (
	"context"
	"slices"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// Row describes a name of a kind.
type Row struct {
	Kind, Name string
	Path       string
	Digest     string // of the program if it is locked; otherwise empty
	Versions   []int  // of the plugin, including versions that this host does not know
	Native     int    // the plugin's version that is used; 0 for none
	Newest     int    // the version that the host returns
	Err        error  // why no version is used
}

// IsAdapted reports whether the host adapts the plugin's version to another.
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
		if e.versions[0] > terms.Number { // a name has at least one version
			r.Err = h.registry.missing(terms.ID, name)
		}
		return r
	}
	r.Native = native.Number
	return r
}

// Served lists everything that locked plugins, and plugins that have been asked, serve: all kinds
// and versions, sorted.
func (h *Host) Served() []contract.Served { return h.registry.all() }
