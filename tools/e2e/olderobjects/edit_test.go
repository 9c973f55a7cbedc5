package olderobjects_test

import (
	"maps"
	"math/rand/v2"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/tools/e2e/crds"
)

// edit changes one value of an object in place.
type edit func(object map[string]any)

// edits collects what can be edited: values, elements and members.
type edits struct {
	drawer *crds.Drawer
	all    []edit
}

// editsOf returns edits of an object that its schema declares, in a random order.
func editsOf(object map[string]any, s v1.JSONSchemaProps, random *rand.Rand) []edit {
	e := &edits{drawer: crds.NewDrawer(random.Uint64(), 0.5)}
	for name, member := range sortedMembers(object) {
		if property, has := s.Properties[name]; has && name != "metadata" && name != "kind" && name != "apiVersion" {
			e.below(member, property, func(whole map[string]any, change func(any) any) {
				whole[name] = change(whole[name])
			})
		}
	}
	random.Shuffle(len(e.all), func(i, j int) { e.all[i], e.all[j] = e.all[j], e.all[i] })
	return e.all
}

func sortedMembers(object map[string]any) func(func(string, any) bool) {
	return func(yield func(string, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if !yield(name, object[name]) {
				return
			}
		}
	}
}

// at changes a value within an object.
type at func(whole map[string]any, change func(any) any)

func (e *edits) add(where at, change func(any) any) {
	e.all = append(e.all, func(whole map[string]any) { where(whole, change) })
}

func (e *edits) below(value any, s v1.JSONSchemaProps, where at) {
	switch v := value.(type) {
	case map[string]any:
		e.object(v, s, where)
	case []any:
		e.list(v, s, where)
	default:
		e.add(where, func(any) any { return e.drawer.Value(s) })
	}
}

func (e *edits) object(object map[string]any, s v1.JSONSchemaProps, where at) {
	for name, property := range s.Properties {
		if _, has := object[name]; !has && name != "propertyBag" {
			e.add(where, func(was any) any {
				was.(map[string]any)[name] = e.drawer.Value(property)
				return was
			})
		}
	}
	for name, member := range sortedMembers(object) {
		property, has := s.Properties[name]
		switch {
		case !has && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
			property = *s.AdditionalProperties.Schema
		case !has, name == "propertyBag":
			continue
		}
		e.below(member, property, func(whole map[string]any, change func(any) any) {
			where(whole, func(was any) any {
				was.(map[string]any)[name] = change(was.(map[string]any)[name])
				return was
			})
		})
		if !slices.Contains(s.Required, name) {
			e.add(where, func(was any) any {
				delete(was.(map[string]any), name)
				return was
			})
		}
	}
}

func (e *edits) list(list []any, s v1.JSONSchemaProps, where at) {
	if s.Items == nil || s.Items.Schema == nil {
		return
	}
	e.add(where, func(was any) any { return append(was.([]any), e.drawer.Value(*s.Items.Schema)) })
	for i, element := range list {
		e.below(element, *s.Items.Schema, func(whole map[string]any, change func(any) any) {
			where(whole, func(was any) any {
				was.([]any)[i] = change(was.([]any)[i])
				return was
			})
		})
	}
}

// edited returns a copy of an object with an edit.
func edited(object map[string]any, by edit) map[string]any {
	out := runtime.DeepCopyJSON(object)
	by(out)
	return out
}
