package plan

import (
	"encoding/json"

	"github.com/stratakube/strata/generator/internal/model"
)

// Keys returns the members that identify the elements of a list of objects, as declared by
// x-kubernetes-list-map-keys; nil if the schema declares none.
func (f *Field) Keys() []string {
	l, ok := f.Property.Type.(*model.List)
	if !ok || f.Type.Wrap != "l" || f.Type.Struct == nil {
		return nil
	}
	var keys []string
	if json.Unmarshal([]byte(l.Facts.Get("x-kubernetes-list-map-keys")), &keys) != nil {
		return nil
	}
	return keys
}

// Preset returns the schema's default in JSON, which an API server sets if the property is
// absent. It is empty if there is none.
func (f *Field) Preset() string {
	switch t := f.Property.Type.(type) {
	case *model.Scalar:
		return t.Facts.Get("default")
	case *model.Enum:
		return t.Facts.Get("default")
	}
	return ""
}
