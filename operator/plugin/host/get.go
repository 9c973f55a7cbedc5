package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// Get returns the newest interface of a kind for a name: the plugin's own, or an older one that
// is adapted step by step. The same name and configuration return the same instance. Every
// process of the plugin passes the configuration to the factory. If it is known what the plugin
// serves, its process starts with the first call; otherwise Get starts it.
//
// The error is contract.ErrNotServed if the name does not exist, and contract.NotAdaptableError
// if its versions must not be adapted. Any other error is independent of versions.
func Get[T any](ctx context.Context, h *Host, newest *contract.Version[T], name string, config map[string]string) (T, error) {
	var none T
	terms, err := newest.Terms()
	if err != nil {
		return none, err
	}
	full, err := terms.Name(name)
	if err != nil {
		return none, err
	}
	if err := h.load(ctx); err != nil {
		return none, fmt.Errorf("find %s %s: %w", terms.Kind, full, err)
	}
	key := fmt.Sprintf("%s\x00%s\x00%q", terms.ID, full, config) // maps are printed in order
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.instances[key].(T); ok {
		return known, nil
	}
	found, err := newest.Newest(func(t *contract.Terms) (contract.Caller, error) { return h.find(t, full, config) })
	if errors.Is(err, contract.ErrNotServed) {
		err = h.registry.missing(terms.ID, full)
	}
	if err != nil {
		return none, fmt.Errorf("find %s %s: %w", terms.Kind, full, err)
	}
	h.instances[key] = found
	return found, nil
}

func (h *Host) find(t *contract.Terms, name string, config map[string]string) (contract.Caller, error) {
	e, ok := h.registry.find(t.Kind, name)
	if !ok || !slices.Contains(e.versions, t.Number) {
		return nil, contract.ErrNotServed
	}
	if e.process.isStopped() {
		return nil, ErrStopped
	}
	return newInstance(e.process, t, name, maps.Clone(config)), nil
}
