package armsim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
	"github.com/stratakube/strata/tools/armsim/internal/journal"
)

// Resource is what is stored of one, whatever API versions it is read and written in.
type Resource struct {
	ID         string          `json:"id"` // as it was spelled when it was created
	Type       string          `json:"type"`
	APIVersion string          `json:"apiVersion"` // of the last write
	ETag       string          `json:"etag"`
	State      string          `json:"provisioningState"`
	Body       json.RawMessage `json:"body"` // as it was written last
	Created    time.Time       `json:"created"`
	Changed    time.Time       `json:"changed"`
	Operation  string          `json:"operation,omitempty"` // the one that runs
	Puts       int             `json:"puts"`                // that were committed since it was created
	Creates    int             `json:"creates"`             // of this id, also those before it was deleted
}

// The values of provisioningState.
const (
	creating  = "Creating"
	updating  = "Updating"
	deleting  = "Deleting"
	succeeded = "Succeeded"
	failed    = "Failed"
	canceled  = "Canceled"
	running   = "InProgress" // of operations alone
)

// Totals count what was committed since the state began.
type Totals struct {
	Sequence   uint64 `json:"sequence"` // of etags and operations
	Puts       int    `json:"puts"`     // creates, updates and unchanged
	Creates    int    `json:"creates"`
	Updates    int    `json:"updates"`
	Unchanged  int    `json:"unchanged"` // PUTs of what was there already
	Deletes    int    `json:"deletes"`   // resources that were asked to go, without what went with them
	Duplicates int    `json:"duplicates"`
}

// record is one change of the state: all of it is kept, or nothing.
type record struct {
	Set        []*Resource    `json:"set,omitempty"`
	Gone       []string       `json:"gone,omitempty"` // keys
	Operations []*operation   `json:"operations,omitempty"`
	Forgotten  []string       `json:"forgotten,omitempty"` // operations
	Created    map[string]int `json:"created,omitempty"`   // how often an id was created, by key
	Removed    []string       `json:"removed,omitempty"`   // groups and subscriptions, which would exist by default
	Returned   []string       `json:"returned,omitempty"`
	Totals     Totals         `json:"totals"`
}

// state is all that a simulator keeps. What is read from it may not be changed: a change is a record with
// new values.
type state struct {
	resources  map[string]*Resource
	operations map[string]*operation
	created    map[string]int
	removed    map[string]bool
	totals     Totals

	file      *journal.Journal // nil without one
	compacted int64            // its size after it was made small
}

func openState(path string) (*state, error) {
	s := &state{
		resources: map[string]*Resource{}, operations: map[string]*operation{}, created: map[string]int{}, removed: map[string]bool{},
	}
	if path == "" {
		return s, nil
	}
	file, err := journal.Open(path, func(data json.RawMessage) error {
		var r record
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		s.apply(&r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.file = file
	if err := s.compact(); err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// commit keeps a change, and only then makes it.
func (s *state) commit(r *record) error {
	if s.file != nil {
		if err := s.file.Append(r); err != nil {
			return err
		}
	}
	s.apply(r)
	if s.file != nil && s.file.Size() > max(compactAbove, 4*s.compacted) && s.compact() != nil {
		s.compacted = s.file.Size() // the journal is whole, and tried again when it has grown
	}
	return nil
}

func (s *state) apply(r *record) {
	for _, key := range r.Gone {
		delete(s.resources, key)
	}
	for _, res := range r.Set {
		s.resources[armid.Key(res.ID)] = res
	}
	for _, id := range r.Forgotten {
		delete(s.operations, id)
	}
	for _, op := range r.Operations {
		s.operations[op.ID] = op
	}
	maps.Copy(s.created, r.Created)
	for _, key := range r.Removed {
		s.removed[key] = true
	}
	for _, key := range r.Returned {
		delete(s.removed, key)
	}
	s.totals = r.Totals
}

// compactAbove is the size of a journal, in bytes, above which it is made small when most of it is past.
const compactAbove = 32 << 20

// compact writes what is, in the place of what has been.
func (s *state) compact() error {
	err := s.file.Replace(func(add func(any) error) error {
		for _, key := range slices.Sorted(maps.Keys(s.resources)) {
			if err := add(record{Set: []*Resource{s.resources[key]}, Totals: s.totals}); err != nil {
				return err
			}
		}
		for _, id := range slices.Sorted(maps.Keys(s.operations)) {
			if err := add(record{Operations: []*operation{s.operations[id]}, Totals: s.totals}); err != nil {
				return err
			}
		}
		return add(record{Created: s.created, Removed: slices.Sorted(maps.Keys(s.removed)), Totals: s.totals})
	})
	if err != nil {
		return err
	}
	s.compacted = s.file.Size()
	return nil
}

// next begins a record: it has the totals so far and a new number.
func (s *state) next() (*record, uint64) {
	r := &record{Totals: s.totals}
	r.Totals.Sequence++
	return r, r.Totals.Sequence
}

func etag(number uint64) string { return fmt.Sprintf(`"%016x"`, number) }

// below lists the keys of a resource and of all that stands below it, sorted.
func (s *state) below(key string) []string {
	var keys []string
	for k := range s.resources {
		if k == key || strings.HasPrefix(k, key+"/") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// remove adds to a record that a resource goes, with all below it and their operations.
func (s *state) remove(r *record, key string) {
	keys := s.below(key)
	r.Gone = append(r.Gone, keys...)
	for _, k := range keys {
		switch op := s.operations[s.resources[k].Operation]; {
		case op == nil || op.Status != running:
		case op.Kind == deleting:
			r.Operations = append(r.Operations, op.ended(succeeded, nil))
		default:
			r.Operations = append(r.Operations, op.ended(canceled, &problem{Code: "ResourceGone", Message: "the resource has been deleted"}))
		}
	}
}
