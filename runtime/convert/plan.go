package convert

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
)

// Plan has how objects of one API version of a kind become those of the hub, and back, so that
// a [Converter] can edit their JSON without making an object of it. Generated code registers a plan
// for every version whose conversions no hand-written step completes.
type Plan struct {
	// API is a blank object of the version's API root, Storage of its storage root, and Hub of the
	// hub.
	API          runtime.Hider
	Storage, Hub any
	// HubVersion is the group and version of the hub.
	HubVersion string
	// Steps are referred to by their indices. The first is the step between the specs of the version
	// and of the hub, and between the statuses where StatusStep is 0. Nil is a step in which nothing
	// changes.
	Steps []Step
	// StatusStep is the step between the statuses, where it is not that between the specs.
	StatusStep int
	// Note means that an annotation stores what the version cannot represent; see
	// [runtime.BagAnnotation].
	Note bool
	// Held are blank objects of the types that property bags hold, each at the index of the step
	// between it and what versions have; nil at others.
	Held []any
}

// For returns the plan with a blank object of the API root, which the package of the storage types
// does not know.
func (p Plan) For(api runtime.Hider) Plan {
	p.API = api
	return p
}

var plans struct {
	sync.RWMutex
	known map[schema.GroupKind]map[string]Plan
}

// RegisterPlans makes plans known to [NewConverter]. To register the same plan again changes
// nothing; another plan for the same version of a kind, and one that cannot be read, is an error,
// and then none of the plans is registered.
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
		reflect.DeepEqual(p.Steps, q.Steps) && p.StatusStep == q.StatusStep && p.Note == q.Note && slices.EqualFunc(p.Held, q.Held, sameType)
}

func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

func planOf(kind schema.GroupKind, version string) (Plan, bool) {
	plans.RLock()
	defer plans.RUnlock()
	p, ok := plans.known[kind][version]
	return p, ok
}

// steps are those of a plan, of which there is one at least.
func (p Plan) steps() []Step {
	if len(p.Steps) == 0 {
		return []Step{nil}
	}
	return p.Steps
}

// check finds members without a name, and steps that a plan refers to but does not have.
func (p Plan) check() error {
	steps := p.steps()
	if p.StatusStep < 0 || p.StatusStep >= len(steps) {
		return fmt.Errorf("there is no step %d for the status", p.StatusStep)
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
