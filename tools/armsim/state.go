package armsim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
	"github.com/stratakube/strata/tools/armsim/internal/store"
)

// Resource is a stored resource. It is the same for all API versions in which clients read and
// write it.
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
	acting    = "Acting" // of operations alone
	succeeded = "Succeeded"
	failed    = "Failed"
	canceled  = "Canceled"
	running   = "InProgress" // of operations alone
)

// Totals count the committed changes since the state began.
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
	Set        []*Resource
	Gone       []string // keys
	Operations []*operation
	Forgotten  []string       // operations
	Created    map[string]int // how often an id was created, by key
	Removed    []string       // groups and subscriptions, which would exist by default
	Returned   []string
	Totals     Totals
}

// state is everything that a simulator stores. Callers must not change values that they read from
// it: each change is a record with new values.
type state struct {
	resources  map[string]*Resource
	operations map[string]*operation
	created    map[string]int
	removed    map[string]bool
	totals     Totals

	file *store.Store // nil without one
}

// The buckets of the file. Those of resources, counts and groups have keys of ids, as package armid
// makes them.
const (
	inResources  = "resources"
	inOperations = "operations"
	inCreated    = "created"
	inRemoved    = "removed"
	inTotals     = "totals" // with one value, of the same name
)

func openState(path string, sync bool) (*state, error) {
	s := &state{
		resources: map[string]*Resource{}, operations: map[string]*operation{}, created: map[string]int{}, removed: map[string]bool{},
	}
	if path == "" {
		return s, nil
	}
	var err error
	s.file, err = store.Open(path, store.Options{Buckets: []string{inResources, inOperations, inCreated, inRemoved, inTotals}, Sync: sync})
	if err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	return s, nil
}

// load reads all that the file holds.
func (s *state) load() error {
	totals := map[string]Totals{}
	err := errors.Join(
		load(s.file, inResources, s.resources), load(s.file, inOperations, s.operations),
		load(s.file, inCreated, s.created), load(s.file, inRemoved, s.removed), load(s.file, inTotals, totals),
	)
	s.totals = totals[inTotals]
	return err
}

func load[V any](file *store.Store, bucket string, into map[string]V) error {
	return file.Each(bucket, func(key string, data []byte) error {
		var v V
		if err := json.Unmarshal(data, &v); err != nil {
			return err
		}
		into[key] = v
		return nil
	})
}

// commit keeps a change, and only then makes it.
func (s *state) commit(r *record) error {
	if s.file != nil {
		if err := s.file.Change(r.write); err != nil {
			return err
		}
	}
	s.apply(r)
	return nil
}

// write does to the file what apply does to the state in memory, in the same order.
func (r *record) write(w *store.Writer) error {
	var errs []error
	put := func(bucket, key string, value any) { errs = append(errs, w.Put(bucket, key, value)) }
	drop := func(bucket string, keys []string) {
		for _, key := range keys {
			errs = append(errs, w.Delete(bucket, key))
		}
	}
	drop(inResources, r.Gone)
	for _, res := range r.Set {
		put(inResources, armid.Key(res.ID), res)
	}
	drop(inOperations, r.Forgotten)
	for _, op := range r.Operations {
		put(inOperations, op.ID, op)
	}
	for key, n := range r.Created {
		put(inCreated, key, n)
	}
	for _, key := range r.Removed {
		put(inRemoved, key, true)
	}
	drop(inRemoved, r.Returned)
	put(inTotals, inTotals, r.Totals)
	return errors.Join(errs...)
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

// next begins a record: it has the totals so far and a new number.
func (s *state) next() (*record, uint64) {
	r := &record{Totals: s.totals}
	r.Totals.Sequence++
	return r, r.Totals.Sequence
}

func etag(number uint64) string { return fmt.Sprintf(`"%016x"`, number) }

// below lists the keys of a resource and of all its descendants, sorted.
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
