package refine

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// named returns the definition of an object type. One raw type has one definition wherever it is
// used, so that recursion ends. It returns nil for a combination that exceeds the budget.
func (b *body) named(t model.Type, s shape, name, path string) *model.Def {
	key := b.key(t)
	if d := b.objects[key]; d != nil {
		return d
	}
	if b.made[t] && source(t) == nil && !b.budget.take(weight(t, s)) {
		b.refused[key] = true
		least, _ := b.least(t)
		b.budget.take(least) // for the merging
		return nil
	}
	if of := written(t); !b.made[of] && len(partsOf(of)) > 1 && !b.budget.takeWritten(weight(of, s)-sizeOf(of)) {
		return nil
	}
	d := &model.Def{}
	if raw := source(t); raw != nil {
		d.Doc, d.Pos = raw.Doc, raw.Pos
		if id := b.identifier(raw.Name); !b.names.Has(id) {
			name = id
		}
	}
	d.Name = b.names.Unique(name)
	b.objects[key] = d
	d.Type = b.object(s, d.Name, path)
	return d
}

// identifier returns the Go name of a definition.
func (b *body) identifier(name string) string {
	id := b.unit.names.Identifier(name)
	if strings.HasSuffix(id, b.suffix) {
		return id
	}
	return id + b.suffix
}

// maxAlias bounds the length of chains of references.
const maxAlias = 100

// source returns the definition that a type is named after: the last of a chain of references. It
// returns nil for a type that is declared in place.
func source(t model.Type) *model.Def {
	var d *model.Def
	for range maxAlias {
		switch u := t.(type) {
		case *model.Ref:
			d, t = u.Def, u.Def.Type
			continue
		case *model.OneOf:
			if len(u.Branches) == 1 {
				t = u.Branches[0]
				continue
			}
		case *model.AllOf:
			if len(u.Parts) == 1 {
				t = u.Parts[0]
				continue
			}
		}
		break
	}
	return d
}

// written returns a type as the schema writes it: that of its definition, if it has one.
func written(t model.Type) model.Type {
	if d := source(t); d != nil {
		return d.Type
	}
	return t
}

// key identifies a raw type: a reference by its definition, a declaration by itself, and a
// combination by its parts.
func (b *body) key(t model.Type) string {
	if d := source(t); d != nil {
		return "d" + b.id(d)
	}
	switch t := t.(type) {
	case *model.OneOf:
		return "one(" + b.keys(t.Branches) + ")"
	case *model.AllOf:
		return "all(" + b.keys(t.Parts) + ")"
	case *model.List:
		return "list(" + b.key(t.Elem) + ")"
	case *model.Map:
		return "map(" + b.key(t.Elem) + ")"
	case *model.Scalar:
		return t.Kind.String()
	}
	return "t" + b.id(t)
}

func (b *body) keys(types []model.Type) string {
	var all names
	for _, t := range types {
		all.add(b.key(t))
	}
	return strings.Join(all.all(), ",")
}

func (b *body) id(of any) string {
	n, ok := b.ids[of]
	if !ok {
		n = len(b.ids)
		b.ids[of] = n
	}
	return strconv.Itoa(n)
}
