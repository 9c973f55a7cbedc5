package convert

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
)

// Plan describes the conversions between one API version of a kind and the hub, so that a
// [Converter] can edit the JSON of objects. Generated code registers a plan for every version
// whose conversions have no hand-written step.
type Plan struct {
	// API is a blank object of the version's API root. Storage is one of its storage root, and
	// Hub one of the hub.
	API          runtime.Hider
	Storage, Hub any
	// HubVersion is the group and version of the hub.
	HubVersion string
	// Steps are referred to by their indices. The first converts the spec between the version and
	// the hub. It also converts the status if StatusStep is 0. Nil is a step that changes
	// nothing.
	Steps []Step
	// StatusStep is the index of the step that converts the status.
	StatusStep int
	// Annotation means that an annotation stores hidden values of the version; see
	// [runtime.BagAnnotation].
	Annotation bool
	// StoredTypes are blank objects of the types that property bags store. Each has the index of the
	// step that converts between it and the type of a version; other elements are nil.
	StoredTypes []any
	// Changes are the declared changes of steps, and Sequences the steps that consist of others.
	Changes   []Change
	Sequences []Sequence
}

// For returns the plan with a blank object of the API root. The package of the storage types
// cannot import that type.
func (p Plan) For(api runtime.Hider) Plan {
	p.API = api
	return p
}

var plans struct {
	sync.RWMutex
	known map[schema.GroupKind]map[string]Plan
}

// RegisterPlans registers plans for [NewConverter]. Registering the same plan again changes
// nothing. A plan that is not valid, or that differs from the registered one of its version, is
// an error. Then RegisterPlans registers none.
func RegisterPlans(all ...Plan) error {
	plans.Lock()
	defer plans.Unlock()
	for _, p := range all {
		kind := p.API.OriginalGVK()
		if err := p.check(); err != nil {
			return fmt.Errorf("register the plan of %s: %w", kind, err)
		}
		if known, ok := plans.known[kind.GroupKind()][kind.Version]; ok && !known.is(p) {
			return fmt.Errorf("register the plan of %s: another one is registered", kind)
		}
	}
	for _, p := range all {
		kind := p.API.OriginalGVK()
		if plans.known == nil {
			plans.known = map[schema.GroupKind]map[string]Plan{}
		}
		if plans.known[kind.GroupKind()] == nil {
			plans.known[kind.GroupKind()] = map[string]Plan{}
		}
		plans.known[kind.GroupKind()][kind.Version] = p
	}
	return nil
}

func (p Plan) is(q Plan) bool {
	return sameType(p.API, q.API) && sameType(p.Storage, q.Storage) && sameType(p.Hub, q.Hub) && p.HubVersion == q.HubVersion &&
		reflect.DeepEqual(p.Steps, q.Steps) && p.StatusStep == q.StatusStep && p.Annotation == q.Annotation && slices.EqualFunc(p.StoredTypes, q.StoredTypes, sameType) &&
		reflect.DeepEqual(p.Changes, q.Changes) && slices.EqualFunc(p.Sequences, q.Sequences, func(a, b Sequence) bool {
		return a.Step == b.Step && slices.Equal(a.Parts, b.Parts) && slices.EqualFunc(a.Between, b.Between, sameType)
	})
}

func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

func planOf(kind schema.GroupKind, version string) (Plan, bool) {
	plans.RLock()
	defer plans.RUnlock()
	p, ok := plans.known[kind][version]
	return p, ok
}

// steps returns the steps of a plan; there is always at least one.
func (p Plan) steps() []Step {
	if len(p.Steps) == 0 {
		return []Step{nil}
	}
	return p.Steps
}

// check returns an error for a member without a name, and for the index of a step that the plan
// does not have.
func (p Plan) check() error {
	steps := p.steps()
	if p.StatusStep < 0 || p.StatusStep >= len(steps) {
		return fmt.Errorf("there is no step %d for the status", p.StatusStep)
	}
	for i := range p.Changes {
		if err := p.Changes[i].check(len(steps)); err != nil {
			return err
		}
	}
	for i := range p.Sequences {
		if err := p.Sequences[i].check(len(steps)); err != nil {
			return err
		}
	}
	for i, step := range steps {
		for m := range step {
			if err := step[m].check(len(steps)); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
	}
	return nil
}
