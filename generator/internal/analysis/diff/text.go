package diff

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// TypeText describes a type: "list of object Address".
func TypeText(t model.Type) string {
	switch t := t.(type) {
	case *model.List:
		return "list of " + TypeText(t.Elem)
	case *model.Map:
		return "map of " + TypeText(t.Elem)
	case *model.Ref:
		if t.Def.Map != nil {
			return TypeText(t.Def.Map)
		}
		return "object " + t.Def.Name
	case *model.Enum:
		if t.Open {
			return "open enum of " + t.Base.String()
		}
		return "enum of " + t.Base.String()
	}
	return model.ScalarText(t)
}

// join appends a property to a path. Additional members are "*".
func join(path, name string) string {
	if name == chain.AdditionalName {
		name = "*"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

var wraps = strings.NewReplacer("l", "[]", "m", ".*")

// steps returns the path steps of the lists and maps around an object: [] and .*.
func steps(wrap string) string { return wraps.Replace(wrap) }
