package refine

import (
	"github.com/stratakube/strata/generator/internal/model"
)

// form is the JSON form of a value.
type form uint8

const (
	formNone   form = iota // unknown: an empty conjunction
	formAny                // the schema does not restrict the value
	formScalar             // one kind of scalar
	formList
	formMap    // an object without declared members
	formObject // an object with declared members
	formClash  // forms that cannot be merged
)

func (f form) String() string {
	return [...]string{"nothing", "anything", "scalar", "list", "map", "object", "conflict"}[f]
}

func isObject(f form) bool { return f == formMap || f == formObject }

// shape describes a raw type without following its members. Members and elements stay raw types,
// so that recursion ends here.
type shape struct {
	form       form
	kind       model.Kind
	values     *names // the enum's values; nil for a plain scalar
	open       bool   // the enum may have others
	limits     *model.Limits
	elem       model.Type // of a list
	additional model.Type // of a map or an open object
	members    *members   // the shape's own, each merged from all its parts
	required   *names
	merging    *merging // non-nil while members, required and values belong to this shape only
	union      *model.Union
	facts      model.Facts
	clash      string // which forms could not be merged
}

// clash returns the shape of a type that cannot be merged.
func clash(reason string) shape { return shape{form: formClash, clash: reason} }

// name returns the name of a shape's form, for messages.
func (s shape) name() string {
	switch s.form {
	case formScalar:
		return s.kind.String()
	case formClash:
		return s.clash
	}
	return s.form.String()
}

// shapeOf returns the shape of a raw type. Shapes may share members, so callers must copy a shape
// before they change it.
func (j *joiner) shapeOf(t model.Type) shape {
	switch t := t.(type) {
	case *model.Ref:
		return j.defShape(t.Def)
	case *model.Scalar:
		return shape{form: formScalar, kind: t.Kind, limits: t.Limits, facts: t.Facts}
	case *model.Enum:
		return shape{form: formScalar, kind: t.Base, values: namesOf(t.Values), open: t.Open, facts: t.Facts}
	case *model.List:
		return shape{form: formList, elem: t.Elem, limits: t.Limits, facts: t.Facts}
	case *model.Map:
		return shape{form: formMap, additional: t.Elem, facts: t.Facts}
	case *model.Object:
		return objectShape(t)
	case *model.OneOf:
		return j.alternative(t.Branches, j.mode(t))
	case *model.AllOf:
		return j.conjunction(t.Parts)
	case *model.Any:
		if t.Reason != "" {
			return clash(t.Reason)
		}
		return shape{form: formAny, facts: t.Facts}
	}
	return shape{form: formAny}
}

// defShape returns the shape of a definition. A definition that refers to itself without an
// object between is a clash.
func (j *joiner) defShape(d *model.Def) shape {
	s, ok := j.shapes[d]
	if !ok {
		j.shapes[d] = clash("a reference that leads back to itself")
		s = j.shapeOf(d.Type)
		j.shapes[d] = s
	}
	return s
}

func objectShape(o *model.Object) shape {
	s := shape{form: formObject, additional: o.Additional, members: &members{}, required: &names{}, union: o.Union, facts: o.Facts}
	s.required.add(o.Requires...)
	for _, p := range o.Properties {
		s.members.add(p)
		if p.Required {
			s.required.add(p.Name)
		}
	}
	return s
}

// conjunction merges parts that all apply to a value. Their members are united, an unrestricted
// part has no effect, and an enum restricts a plain scalar.
func (j *joiner) conjunction(parts []model.Type) shape {
	var out shape
	for _, t := range parts {
		s := j.shapeOf(t)
		switch {
		case s.form == formNone || s.form == formAny && out.form != formNone:
		case out.form == formNone || out.form == formAny:
			out = s
		default:
			out = j.merge(out, s, both)
		}
	}
	out.merging = nil
	return out
}

// alternative merges branches one of which applies to a value. A member is required if all
// branches require it. A plain scalar includes enums, and an untyped branch opens the objects of
// other branches.
func (j *joiner) alternative(branches []model.Type, m mode) shape {
	var out shape
	shapes := make([]shape, 0, len(branches))
	for _, t := range branches {
		s := j.shapeOf(t)
		shapes = append(shapes, s)
		if out.form == formNone {
			out = s
		} else {
			out = j.merge(out, s, m)
		}
	}
	out.merging = nil
	if out.form == formObject && len(shapes) > 1 {
		if out.union = nil; m == either {
			out.union = j.unionOf(shapes)
		}
	}
	return out
}
