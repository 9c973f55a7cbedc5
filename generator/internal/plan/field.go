package plan

import (
	"encoding/json"

	"github.com/stratakube/strata/generator/internal/model"
)

// Keys are the members that identify the elements of a list of objects, as its schema
// says; nil where it says none.
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

// Preset is the JSON of the value that an API server fills in where the property is
// absent; empty where there is none.
func (f *Field) Preset() string {
	switch t := f.Property.Type.(type) {
	case *model.Scalar:
		return t.Facts.Get("default")
	case *model.Enum:
		return t.Facts.Get("default")
	}
	return ""
}
