package host

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// registry records which process serves which names.
type registry struct {
	mu     sync.RWMutex
	asked  map[*process]bool
	byName map[name]*entry
}

type name struct{ kind, name string }

type entry struct {
	process  *process
	versions []int // sorted
}

// add records what a process serves. A name of a kind belongs to one process, in all its versions.
func (r *registry) add(p *process, all []contract.Served) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == nil {
		r.asked, r.byName = map[*process]bool{}, map[name]*entry{}
	}
	r.asked[p] = true
	var wrong []error
	for _, served := range all {
		wrong = append(wrong, r.addOne(p, served))
	}
	return errors.Join(wrong...)
}

func (r *registry) addOne(p *process, served contract.Served) error {
	n := name{served.Kind, served.Name}
	e := r.byName[n]
	switch {
	case e == nil:
		r.byName[n] = &entry{process: p, versions: []int{served.Number}}
	case e.process != p:
		return &DuplicateError{Kind: n.kind, Name: n.name, First: e.process.path, Second: p.path}
	case !slices.Contains(e.versions, served.Number):
		e.versions = append(e.versions, served.Number)
		slices.Sort(e.versions)
	}
	return nil
}

func (r *registry) knows(p *process) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.asked[p]
}

// find returns the process of a name, and the versions that it serves.
func (r *registry) find(kind, of string) (entry, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.byName[name{kind, of}]
	if !ok {
		return entry{}, false
	}
	return entry{e.process, slices.Clone(e.versions)}, true
}

// names returns the names of a kind, sorted.
func (r *registry) names(kind string) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var all []string
	for n := range maps.Keys(r.byName) {
		if n.kind == kind {
			all = append(all, n.name)
		}
	}
	slices.Sort(all)
	return all
}

// missing returns an error that lists what exists instead of a name, or of a version that the host
// knows.
func (r *registry) missing(newest contract.ID, of string) error {
	e, ok := r.find(newest.Kind, of)
	if ok {
		return fmt.Errorf("%w: it has only %s, and this host knows no more than %s", contract.ErrNotServed, versions(e.versions), newest)
	}
	if others := r.names(newest.Kind); len(others) > 0 {
		return fmt.Errorf("%w: there are %s", contract.ErrNotServed, strings.Join(others, ", "))
	}
	return fmt.Errorf("%w: there is none of this kind", contract.ErrNotServed)
}

func versions(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, fmt.Sprintf("v%d", n))
	}
	return strings.Join(words, ", ")
}

// all returns everything that is served, by kind, name and version.
func (r *registry) all() []contract.Served {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var all []contract.Served
	for n, e := range r.byName {
		for _, version := range e.versions {
			all = append(all, contract.Served{ID: contract.ID{Kind: n.kind, Number: version}, Name: n.name})
		}
	}
	slices.SortFunc(all, func(a, b contract.Served) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number))
	})
	return all
}
