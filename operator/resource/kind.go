package resource

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
)

// Kind describes one kind of resources.
type Kind struct {
	// Hub is the group, version and kind that the cluster stores.
	Hub schema.GroupVersionKind
	// Type is the type in the external API, such as Microsoft.Batch/batchAccounts.
	Type string
	// Versions maps each API version to its name in the external API.
	Versions map[string]string
	// Owner is the member of the spec that names the owner, according to the generated type of
	// the hub. It is empty if Strata has added none. A vendor's member can have the same name.
	Owner string
	// Parent is the kind of the owners; empty if the scheme has no such kind.
	Parent schema.GroupKind
	// Children are the kinds whose Parent is this kind, sorted.
	Children []schema.GroupKind
}

// API returns the API version whose storage type is the hub. References from other objects name
// it, since the cluster serves it for longer than the hub.
func (k *Kind) API() schema.GroupVersionKind {
	return k.Hub.GroupKind().WithVersion(strings.TrimSuffix(k.Hub.Version, storage))
}

// Set is the set of kinds of a scheme.
type Set struct {
	scheme *k8sruntime.Scheme
	kinds  map[schema.GroupKind]*Kind
	types  map[string][]*Kind // by their types in lower case, sorted
}

// storage is the suffix of stored versions.
const storage = "storage"

// hub is the interface of generated hubs.
type hub interface {
	runtime.MetaObject
	runtime.Original
	Hub()
}

// groups is the type of resource groups, the owners of resources at the top level of the external
// API.
const groups = "microsoft.resources/resourcegroups"

// Read returns the kinds of a scheme. It reports all errors at once.
func Read(scheme *k8sruntime.Scheme) (*Set, error) {
	s := &Set{scheme: scheme, kinds: map[schema.GroupKind]*Kind{}}
	var wrong []error
	for gvk := range scheme.AllKnownTypes() {
		if object, err := scheme.New(gvk); err == nil {
			if _, is := object.(hub); is {
				wrong = append(wrong, s.add(gvk))
			}
		}
	}
	slices.SortFunc(wrong, func(a, b error) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	if err := errors.Join(wrong...); err != nil {
		return nil, fmt.Errorf("read the kinds of the scheme: %w", err)
	}
	s.relate()
	return s, nil
}

// add adds the kind of a hub, if one of its versions has a name in the external API.
func (s *Set) add(gvk schema.GroupVersionKind) error {
	k := &Kind{Hub: gvk, Versions: map[string]string{}, Owner: s.ownerOf(gvk)}
	for _, version := range s.scheme.VersionsForGroupKind(gvk.GroupKind()) {
		object, err := s.scheme.New(version.WithKind(gvk.Kind))
		if err != nil {
			continue
		}
		if external, is := object.(runtime.External); is && !strings.HasSuffix(version.Version, storage) {
			k.Versions[version.Version] = external.ExternalVersion()
			if k.Type == "" || version.Version == k.API().Version {
				k.Type = external.ExternalType()
			}
		}
	}
	if len(k.Versions) == 0 {
		return nil
	}
	if other := s.kinds[gvk.GroupKind()]; other != nil {
		return fmt.Errorf("%s has two hubs, %s and %s", gvk.GroupKind(),
			min(gvk.Version, other.Hub.Version), max(gvk.Version, other.Hub.Version))
	}
	s.kinds[gvk.GroupKind()] = k
	return nil
}

// ownerOf returns the member of a hub's spec that names the owner; empty if there is none. It
// finds the member by its type, which the generator gives to no vendor's member.
func (s *Set) ownerOf(gvk schema.GroupVersionKind) string {
	object, err := s.scheme.New(gvk)
	named, is := object.(interface {
		NewEmptySpec() runtime.ConvertibleSpec
	})
	if err != nil || !is {
		return ""
	}
	spec := reflect.TypeOf(named.NewEmptySpec()).Elem()
	for i := range spec.NumField() {
		if field := spec.Field(i); field.Type == reflect.TypeFor[*runtime.Owner]() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			return name
		}
	}
	return ""
}

// relate sets parents and children. The parent of a type is the type without its last segment. If
// several groups have that type, the parent is in the same group. Types at the top level belong
// to resource groups.
func (s *Set) relate() {
	all := s.All()
	s.types = map[string][]*Kind{}
	for _, k := range all {
		external := strings.ToLower(k.Type)
		s.types[external] = append(s.types[external], k)
	}
	for _, k := range all {
		parent := parentOf(k.Type)
		for _, candidate := range all {
			if !strings.EqualFold(candidate.Type, parent) || strings.EqualFold(candidate.Type, k.Type) { // groups belong to nothing
				continue
			}
			if k.Parent.Empty() || candidate.Hub.Group == k.Hub.Group {
				k.Parent = candidate.Hub.GroupKind()
			}
		}
	}
	for _, k := range all {
		if p := s.kinds[k.Parent]; p != nil {
			p.Children = append(p.Children, k.Hub.GroupKind())
		}
	}
}

func parentOf(external string) string {
	if strings.Count(external, "/") < 2 {
		return groups
	}
	return external[:strings.LastIndexByte(external, '/')]
}

// All returns the kinds, sorted by group and kind.
func (s *Set) All() []*Kind {
	var all []*Kind
	for _, k := range s.kinds {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b *Kind) int { return strings.Compare(a.Hub.GroupKind().String(), b.Hub.GroupKind().String()) })
	return all
}

// Of returns a kind; nil if the scheme does not have it.
func (s *Set) Of(gk schema.GroupKind) *Kind { return s.kinds[gk] }

// OfType returns the kinds of a type of the external API, sorted. Several modules may have kinds
// of one type.
func (s *Set) OfType(external string) []*Kind { return s.types[strings.ToLower(external)] }

// Select returns the kinds that match selectors: group or group/Kind. Without selectors it
// returns all. A selector that matches nothing is an error, which lists the kinds.
func (s *Set) Select(selectors ...string) ([]*Kind, error) {
	if len(selectors) == 0 {
		return s.All(), nil
	}
	var chosen []*Kind
	used := make([]bool, len(selectors))
	for _, k := range s.All() {
		isChosen := false
		for i, selector := range selectors {
			if selector == k.Hub.Group || selector == SelectorOf(k.Hub.GroupKind()) {
				used[i], isChosen = true, true
			}
		}
		if isChosen {
			chosen = append(chosen, k)
		}
	}
	var wrong []error
	for i, selector := range selectors {
		if !used[i] {
			wrong = append(wrong, fmt.Errorf("no kind is %q: there are %s", selector, s.names()))
		}
	}
	return chosen, errors.Join(wrong...)
}

// SelectorOf returns the selector of a kind.
func SelectorOf(gk schema.GroupKind) string { return gk.Group + "/" + gk.Kind }

func (s *Set) names() string {
	var names []string
	for _, k := range s.All() {
		names = append(names, SelectorOf(k.Hub.GroupKind()))
	}
	return strings.Join(names, ", ")
}
