package convert

import (
	"fmt"
	"maps"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
)

// Plan tells how objects of one API version of a kind become those of the hub, and back, so that a
// [Converter] can edit their JSON without making an object of it. Generated code registers a plan
// for every version whose conversions no hand-written step completes.
type Plan struct {
	// API is a blank object of the version's API root, Storage of its storage root, and Hub of the
	// hub.
	API          runtime.Hider
	Storage, Hub any
	// HubVersion is the group and version of the hub.
	HubVersion string
	// Steps are separated by semicolons and counted from 0, which is the step between the specs of
	// the version and of the hub, and between the statuses where StatusStep is 0. A step lists,
	// separated by blanks, what becomes of members by their JSON names:
	//
	//	a        as it is; not written where nothing else is said
	//	a>b      a here is b in the hub
	//	a#2      the objects in it convert by step 2, in whatever lists and maps they are
	//	a>!k,l   only the version has a; in the hub's property bag it lies under k, or, where there is none, under l
	//	>b^k,l   only the hub has b; in the version's property bag it lies under k, or, where there is none, under l
	//	a^l!k    both have it; where it is absent here, it is under k in the hub's bag, where it is absent there,
	//	         under l in the version's
	//	k=       of several keys this is the one that is written, unless it is taken: then it is the first
	//	k#1#2    between the version and the hub, what lies under k has gone through the steps 1 and 2
	//
	// Additional members of open objects are called *. Other names than of letters, digits and
	// _-.$@ are quoted as in Go.
	Steps string
	// StatusStep is the step between the statuses, where it is not that between the specs.
	StatusStep int
	// Note tells that what the version cannot show lies in an annotation; see
	// [runtime.BagAnnotation].
	Note bool
	// Held are blank objects of the types that property bags hold, by the step between them and
	// what versions have.
	Held map[int]any
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
		steps, err := parseSteps(p.Steps)
		if err == nil && (p.StatusStep < 0 || p.StatusStep >= len(steps)) {
			err = fmt.Errorf("there is no step %d for the status", p.StatusStep)
		}
		if err != nil {
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
	return reflect.TypeOf(p.API) == reflect.TypeOf(q.API) && reflect.TypeOf(p.Storage) == reflect.TypeOf(q.Storage) &&
		reflect.TypeOf(p.Hub) == reflect.TypeOf(q.Hub) && p.HubVersion == q.HubVersion && p.Steps == q.Steps && p.StatusStep == q.StatusStep && p.Note == q.Note && maps.EqualFunc(p.Held, q.Held, sameType)
}

func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

func planOf(kind schema.GroupKind, version string) (Plan, bool) {
	plans.RLock()
	defer plans.RUnlock()
	p, ok := plans.known[kind][version]
	return p, ok
}
