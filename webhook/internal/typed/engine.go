package typed

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook/engine"
)

// Engine converts the kinds of a scheme. It implements engine.Engine.
type Engine struct {
	scheme *k8sruntime.Scheme
	kinds  map[schema.GroupKind]*kind
}

// kind is a kind whose versions convert.
type kind struct {
	engine.Kind
	// total reports that Strata generated all the types, so that no object may fail.
	total bool
}

// New makes an engine for a scheme. It serves the given kinds; without any, all kinds with a hub or
// a convertible type. The error lists every type of these kinds that cannot be converted.
//
// Types must be registered first. New does not change the scheme.
func New(scheme *k8sruntime.Scheme, kinds ...schema.GroupKind) (*Engine, error) {
	e := &Engine{scheme: scheme, kinds: map[schema.GroupKind]*kind{}}
	known := versionsOf(scheme)
	if len(kinds) == 0 {
		kinds = convertible(scheme, known)
	}
	var failed []error
	for _, of := range kinds {
		k, err := newKind(scheme, of, known[of])
		failed = append(failed, err)
		e.kinds[of] = k
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return e, nil
}

// versionsOf returns the versions of every kind of a scheme, sorted.
func versionsOf(scheme *k8sruntime.Scheme) map[schema.GroupKind][]string {
	versions := map[schema.GroupKind][]string{}
	for gvk := range scheme.AllKnownTypes() {
		if gvk.Version != k8sruntime.APIVersionInternal {
			versions[gvk.GroupKind()] = append(versions[gvk.GroupKind()], gvk.Version)
		}
	}
	for _, of := range versions {
		slices.Sort(of)
	}
	return versions
}

// convertible lists the kinds with several versions of which at least one converts.
func convertible(scheme *k8sruntime.Scheme, known map[schema.GroupKind][]string) []schema.GroupKind {
	var kinds []schema.GroupKind
	for of, versions := range known {
		converts := func(version string) bool { return roleOf(scheme, of.WithVersion(version)) != none }
		if len(versions) > 1 && slices.ContainsFunc(versions, converts) {
			kinds = append(kinds, of)
		}
	}
	slices.SortFunc(kinds, compareKinds)
	return kinds
}

func compareKinds(a, b schema.GroupKind) int {
	return strings.Compare(a.Group+"/"+a.Kind, b.Group+"/"+b.Kind)
}

// role is the role of a type in conversions.
type role int

const (
	none role = iota
	spoke
	hub
)

func roleOf(scheme *k8sruntime.Scheme, gvk schema.GroupVersionKind) role {
	object, err := scheme.New(gvk)
	if err != nil {
		return none
	}
	switch object.(type) {
	case conversion.Hub:
		return hub
	case conversion.Convertible:
		return spoke
	default:
		return none
	}
}

// newKind finds the hub of a kind. The error lists everything that is missing.
func newKind(scheme *k8sruntime.Scheme, of schema.GroupKind, versions []string) (*kind, error) {
	if len(versions) == 0 {
		return nil, fmt.Errorf("serve %s: the scheme has no such kind", of)
	}
	k := &kind{Kind: engine.Kind{GroupKind: of, Versions: versions}, total: true}
	var failed []error
	for _, version := range versions {
		gvk := of.WithVersion(version)
		k.total = k.total && isTotal(scheme, gvk)
		switch roleOf(scheme, gvk) {
		case hub:
			if k.Hub != "" {
				failed = append(failed, fmt.Errorf("serve %s: both %s and %s are hubs", of, k.Hub, version))
			}
			k.Hub = version
		case none:
			failed = append(failed, fmt.Errorf("serve %s: version %s has no converter: its type has neither ConvertTo and ConvertFrom nor Hub", of, version))
		}
	}
	if k.Hub == "" {
		failed = append(failed, fmt.Errorf("serve %s: no version is the hub", of))
	}
	return k, errors.Join(failed...)
}

// isTotal reports whether Strata generated a type.
func isTotal(scheme *k8sruntime.Scheme, gvk schema.GroupVersionKind) bool {
	object, err := scheme.New(gvk)
	if err != nil {
		return false
	}
	switch object.(type) {
	case runtime.Hider, interface {
		runtime.MetaObject
		runtime.Original
		runtime.SpecMaker
	}:
		return true
	default:
		return false
	}
}

// Kinds lists the kinds that the engine converts.
func (e *Engine) Kinds() []engine.Kind {
	var kinds []engine.Kind
	for _, of := range slices.SortedFunc(maps.Keys(e.kinds), compareKinds) {
		kinds = append(kinds, e.kinds[of].Kind)
	}
	return kinds
}

// Converter returns the converter for a pair of versions of the scheme, directly or through the
// hub.
func (e *Engine) Converter(pair engine.Pair) engine.Converter {
	k := e.kinds[pair.Kind]
	if k == nil || pair.From == pair.To || !slices.Contains(k.Versions, pair.From) || !slices.Contains(k.Versions, pair.To) {
		return nil
	}
	c := &converter{scheme: e.scheme, from: pair.Source(), to: pair.Target(), hub: k.WithVersion(k.Hub)}
	c.sizes, c.root = sizesOf(e.scheme, c.from, c.to, c.hub), e.scheme.AllKnownTypes()[c.from]
	if hub, err := e.scheme.New(c.hub); err == nil && c.from != c.hub {
		c.decisions = convert.DecisionSteps(hub)
	}
	if k.total {
		c.codec = totalCodec{}
		c.sizes.bags = bagsSize
	} else {
		c.codec = strictCodec{}
	}
	return c
}
