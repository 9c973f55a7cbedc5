package plan

import (
	"go/token"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// reserved are the identifiers of fields and methods that generated structs have in addition to
// their properties.
var reserved = refine.Identifiers{
	"PropertyBag": 1, "AdditionalProperties": 1, "OriginalVersion": 1,
	"DeepCopy": 1, "DeepCopyInto": 1, "MarshalJSON": 1, "UnmarshalJSON": 1,
	"ConvertToStorage": 1, "ConvertFromStorage": 1,
	"Bag": 1, "ConvertSpecTo": 1, "ConvertSpecFrom": 1, "ConvertStatusTo": 1, "ConvertStatusFrom": 1,
}

// fieldName names the field of a JSON member, among the names of a struct. chosen are the names
// that the user has chosen.
func fieldName(names refine.Identifiers, member string, chosen refine.Names) string {
	if member == chain.AdditionalName {
		return "AdditionalProperties"
	}
	id := chosen.Identifier(member)
	if reserved.Has(id) {
		id += "Value"
	}
	return names.Unique(id)
}

// reserveKinds reserves the identifiers of a package's roots, and returns them.
func (p *Package) reserveKinds() refine.Identifiers {
	names := refine.Identifiers{"GroupVersion": 1, "AddToScheme": 1, "SchemeBuilder": 1, "APIVersion": 1}
	for _, k := range p.Kinds {
		names[k.Kind.ListName()] = 1
		for _, suffix := range []string{"", "List", "Spec", "Status", "Expressions"} {
			names[k.Kind.Name+suffix] = 1
		}
	}
	return names
}

// enumName returns the name of an enum: those of its struct and field.
func enumName(s *Struct, field string) string {
	owner := s.Name
	if s.Role == Spec {
		owner = strings.TrimSuffix(owner, "Spec")
	}
	return owner + field
}

// valueName returns the identifier of one value of an enum.
func valueName(text string, chosen refine.Names) string {
	s := strings.Trim(text, `"`)
	if strings.HasPrefix(s, "-") {
		s = "Minus " + s[1:]
	}
	id := chosen.Identifier(s)
	if !strings.HasPrefix(text, `"`) {
		id = strings.TrimPrefix(id, "N")
	}
	return id
}

// enums names the enums of a package in the order of its structs: either those that only statuses
// have, or the others.
func (p *Package) enums(names refine.Identifiers, observed bool) {
	for _, s := range p.Structs {
		if s.observed != observed || s.Map {
			continue
		}
		for _, f := range s.Fields {
			if e := f.API.Enum; e != nil {
				p.enum(e, s, f, names)
			}
		}
	}
}

func (p *Package) enum(e *Enum, s *Struct, f *Field, names refine.Identifiers) {
	e.Name = names.Unique(enumName(s, f.Name))
	e.Package, e.Owner = p, s.Owner
	for i := range e.Values {
		e.Values[i].Name = names.Unique(e.Name + valueName(e.Values[i].Text, p.chosen))
	}
	p.Enums = append(p.Enums, e)
}

func newEnum(t *model.Enum) *Enum {
	e := &Enum{Base: t.Base}
	notes := t.DeprecatedValues()
	for _, v := range t.Values {
		e.Values = append(e.Values, Value{Text: v, Note: notes[v]})
	}
	return e
}

// maxKind is the maximum length of a kind's name in Kubernetes.
const maxKind = 63

// ListName returns the name of the kind's list: the source's, or the kind's with "List" appended.
// The kind's name is cut so that the result has at most 63 characters.
func (k *Kind) ListName() string {
	const list = "List"
	if stated := k.Resource.Model.Facts.Text(model.ListKind); token.IsIdentifier(stated) {
		return stated
	}
	return k.Name[:min(len(k.Name), maxKind-len(list))] + list
}

// Declared returns the names that a package with API types declares.
func (p *Package) Declared() []string {
	out := []string{"APIVersion", "GroupVersion", "AddToScheme"}
	for _, kv := range p.Kinds {
		out = append(out, kv.Kind.Name, kv.Kind.ListName())
	}
	for _, s := range p.Structs {
		if !s.Map {
			out = append(out, s.Name)
		}
	}
	for _, e := range p.Enums {
		out = append(out, e.Name)
		for _, v := range e.Values {
			out = append(out, v.Name)
		}
	}
	return out
}
