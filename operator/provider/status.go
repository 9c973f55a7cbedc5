package provider

import (
	"encoding/json"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/operator/plugin/member"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

// Statuses converts answers of external APIs to stored statuses.
type Statuses struct{ Scheme *k8sruntime.Scheme }

// Answer is the status that an external API returned for an object.
type Answer struct {
	Hub    schema.GroupVersionKind // the stored version
	API    schema.GroupVersionKind // the version in which the external API returned it
	Status []byte                  // JSON of a status
}

// reserved are the members of a status that belong to Strata: no external API sets them.
var reserved = []string{member.Conditions, member.PropertyBag}

// Hub returns the status to store, without conditions and secrets. It has the values that the
// external API returned, for all versions. A value of the wrong type is not an error: Hub
// preserves it for its version.
func (s Statuses) Hub(a Answer) (map[string]any, error) {
	api, err := s.blank(a.API)
	if err != nil {
		return nil, err
	}
	status, err := members(a.Status, NamesOf(api))
	if err != nil {
		return nil, fmt.Errorf("read the status of the external API: %w", err)
	}
	if err := SecretPathsOf(api).strip(status); err != nil {
		return nil, fmt.Errorf("read the status of the external API: %w", err)
	}
	if api, err = s.root(a.API, status); err != nil {
		return nil, fmt.Errorf("read the status of the external API: %w", err)
	}
	hub, err := s.blank(a.Hub)
	if err != nil {
		return nil, err
	}
	if err := toHub(api, hub); err != nil && !runtime.IsAugmentation(err) {
		return nil, fmt.Errorf("convert the status: %w", err)
	}
	return statusOf(hub)
}

// toHub converts only the status. If the status has values of the wrong type, it converts the
// whole object, which preserves them.
func toHub(api, hub runtime.MetaObject) error {
	if bag, may := api.(runtime.Hider); may && bag.StatusBag() != nil {
		return api.(conversion.Convertible).ConvertTo(hub.(conversion.Hub))
	}
	return hub.SetStatus(api.GetStatus())
}

// root decodes a resource that has only a status.
func (s Statuses) root(gvk schema.GroupVersionKind, status map[string]json.RawMessage) (runtime.MetaObject, error) {
	root, err := s.blank(gvk)
	if err != nil {
		return nil, err
	}
	data, err := marshal(map[string]any{
		"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "metadata": metav1.ObjectMeta{}, "status": status,
	})
	if err != nil {
		return nil, err
	}
	return root, convert.Decode(data, root)
}

func (s Statuses) blank(gvk schema.GroupVersionKind) (runtime.MetaObject, error) {
	object, err := s.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	root, ok := object.(runtime.MetaObject)
	if !ok {
		return nil, fmt.Errorf("%T has no convertible status", object)
	}
	return root, nil
}

func statusOf(hub runtime.MetaObject) (map[string]any, error) {
	data, err := convert.Encode(hub)
	if err != nil {
		return nil, err
	}
	var root struct{ Status json.RawMessage }
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("read %T: %w", hub, err)
	}
	status := map[string]any{}
	if len(root.Status) > 0 {
		if err := k8sjson.Unmarshal(root.Status, &status); err != nil {
			return nil, fmt.Errorf("read the status of %T: %w", hub, err)
		}
	}
	return without(status, reserved...), nil
}

// members returns the members of a JSON object without the reserved ones. Empty data and null are
// an empty object.
func members(data []byte, names Names) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	if len(data) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, err
	}
	if out == nil { // of null
		out = map[string]json.RawMessage{}
	}
	out = names.inwards(out)
	for _, name := range reserved {
		delete(out, name)
	}
	return out, nil
}

// without returns a shallow copy of an object without some members.
func without[V any](object map[string]V, names ...string) map[string]V {
	out := make(map[string]V, len(object))
	maps.Copy(out, object)
	for _, name := range names {
		delete(out, name)
	}
	return out
}
