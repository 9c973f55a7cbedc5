package diff

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// TypeText says what a type is, for people: "list of object Address".
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

// join extends a path by a property; further members are "*".
func join(path, name string) string {
	if name == chain.AdditionalName {
		name = "*"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

var wraps = strings.NewReplacer("l", "[]", "m", ".*")

// steps spells the lists and maps around an object: [] and .*.
func steps(wrap string) string { return wraps.Replace(wrap) }
