package webhook

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/review"
	"github.com/stratakube/strata/webhook/internal/scan"
	"github.com/stratakube/strata/webhook/telemetry"
)

// route is the conversion of a kind's objects from one version to another.
type route struct {
	pair       engine.Pair
	apiVersion string // of the source
	converter  engine.Converter
	eager      engine.Eager  // the converter, if it is; else nil
	costly     engine.Costly // likewise
	steps      int
	objects    *telemetry.Objects
	refused    func(reason string) // counts an object that a converter refused
}

// routes remembers routes by the apiVersion, kind and desired version of objects, so that finding
// one again allocates nothing. It remembers only routes that exist, in their usual spelling, so
// that there are no more than pairs of versions.
type routes struct {
	known atomic.Pointer[map[string]*route]
	mu    sync.Mutex
}

func (r *routes) get(key []byte) *route {
	if known := r.known.Load(); known != nil {
		return (*known)[string(key)]
	}
	return nil
}

// put remembers a route and returns it. Where another review has put one already, put returns that
// one, so that all attempts at an object are attempts by one route.
func (r *routes) put(key []byte, to *route) *route {
	if slices.Contains(key, '\\') {
		return to
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next := map[string]*route{}
	if known := r.known.Load(); known != nil {
		if earlier := (*known)[string(key)]; earlier != nil {
			return earlier
		}
		next = maps.Clone(*known)
	}
	next[string(key)] = to
	r.known.Store(&next)
	return to
}

// route finds the route of an object to the desired version.
func (x *exchange) route(object review.Object) (*route, error) {
	if to := x.known(object.APIVersion, object.Kind); to != nil {
		return to, nil
	}
	if isLong(object.APIVersion, object.Kind) {
		return nil, fmt.Errorf("apiVersion and kind are longer than %d bytes", maxNames)
	}
	to, err := x.handler.routeOf(scan.Unquote(object.APIVersion), scan.Unquote(object.Kind), x.head.Desired)
	if err != nil {
		return nil, err
	}
	return x.handler.routes.put(x.key, to), nil
}

// known returns the route of objects with this apiVersion and kind, which are JSON, if it was found
// before. Otherwise it leaves the key of the route in x.key.
func (x *exchange) known(apiVersion, kind []byte) *route {
	if isLong(apiVersion, kind) {
		return nil
	}
	x.key = append(append(x.key[:0], apiVersion...), kind...)
	x.key = append(x.key, x.head.Desired...)
	return x.handler.routes.get(x.key)
}

// maxNames is the largest length of an object's apiVersion and kind together. No object of the API
// server has longer ones.
const maxNames = 1 << 10

func isLong(apiVersion, kind []byte) bool { return len(apiVersion)+len(kind) > maxNames }

func (h *Handler) routeOf(apiVersion, kind, desired string) (*route, error) {
	if apiVersion == "" || kind == "" {
		return nil, errors.New("apiVersion or kind is missing")
	}
	from, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, fmt.Errorf("apiVersion: %w", err)
	}
	to, err := schema.ParseGroupVersion(desired)
	if err != nil {
		return nil, fmt.Errorf("the desired version: %w", err)
	}
	if from.Group != to.Group {
		return nil, fmt.Errorf("the group is %.100q, and the desired one %.100q", from.Group, to.Group)
	}
	pair := engine.Pair{Kind: schema.GroupKind{Group: from.Group, Kind: kind}, From: from.Version, To: to.Version}
	converter := h.engine.Converter(pair)
	if converter == nil {
		return nil, h.noConverter(pair)
	}
	eager, _ := converter.(engine.Eager)
	costly, _ := converter.(engine.Costly)
	objects := h.telemetry.Objects(pair)
	return &route{
		pair: pair, apiVersion: apiVersion, converter: converter, eager: eager, costly: costly, steps: converter.Steps(),
		objects: objects, refused: objects.Refused,
	}, nil
}

func (h *Handler) noConverter(pair engine.Pair) error {
	for _, kind := range h.engine.Kinds() {
		if kind.GroupKind == pair.Kind {
			return fmt.Errorf("this webhook converts only the versions %s", strings.Join(kind.Versions, ", "))
		}
	}
	return errors.New("this webhook does not convert this kind")
}
