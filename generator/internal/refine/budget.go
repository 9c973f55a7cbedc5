package refine

import "github.com/stratakube/strata/generator/internal/model"

// tooMany is the reason why a union is free JSON when others have used up the budget.
const tooMany = "more combinations of union branches than the size of the schema allows"

// The limits of a budget. No ARM or Bicep schema needs half of its budget.
const (
	budgetLeast   = 2000 // for schemas of any size
	budgetFactor  = 4    // for each property and branch that a schema has
	writtenLeast  = 5000 // likewise, for the unions that a schema writes
	writtenFactor = 1
)

// budget bounds the objects that merging adds to those of the schema. Merging adds an object when
// it joins the types of one member of several branches. If objects refer to each other in unions,
// there may be one for each subset of them. A union that the schema writes is one object with the
// members of all its branches: a schema of n types with unions of them has n times as many members
// as it writes. A budget depends on the declarations of one version alone.
type budget struct {
	left    int
	written int                 // for the unions that the schema writes
	seen    map[*model.Def]bool // definitions whose size is counted
}

func newBudget() budget { return budget{budgetLeast, writtenLeast, map[*model.Def]bool{}} }

// grow adds the allowance of a declared type.
func (b *budget) grow(t model.Type) {
	b.add(sizeOf(t))
	for _, d := range model.Closure(t) {
		if !b.seen[d] {
			b.seen[d] = true
			b.add(1 + sizeOf(d.Type))
		}
	}
}

func (b *budget) add(size int) {
	b.left += budgetFactor * size
	b.written += writtenFactor * size
}

// takeWritten subtracts what the object of a union has more than the schema writes. It reports
// false, and subtracts nothing, if the budget is too small.
func (b *budget) takeWritten(more int) bool {
	if more > b.written {
		return false
	}
	b.written -= max(more, 0)
	return true
}

// take subtracts the cost of an object. It reports false, and subtracts nothing, if the budget is
// too small.
func (b *budget) take(cost int) bool {
	if cost > b.left {
		return false
	}
	b.left -= cost
	return true
}

// exceeds reports whether a combination exceeds the budget for certain. It merges nothing, so that
// combinations beyond the budget cost little.
func (b *body) exceeds(t model.Type) bool {
	if b.refused[b.key(t)] {
		return true
	}
	least, isObject := b.least(t)
	return isObject && least > b.budget.left
}

// least returns the least weight of an object that is made of a type. It reports false for other
// types, and for those that may be no object.
func (b *body) least(t model.Type) (weight int, isObject bool) {
	most := 0
	for _, part := range partsOf(t) {
		n, isObject := b.fewest(part)
		if !isObject {
			return 0, false
		}
		most = max(most, n)
	}
	return 1 + most + branches(t), true
}

// fewest returns the least number of members that an object of a type has.
func (b *body) fewest(t model.Type) (members int, isObject bool) {
	switch t := t.(type) {
	case *model.Ref:
		s := b.defShape(t.Def)
		if s.form != formObject {
			return 0, false
		}
		return len(s.members.all()), true
	case *model.Object:
		return len(t.Properties), true
	}
	parts := partsOf(t)
	for _, part := range parts {
		n, isObject := b.fewest(part)
		if !isObject {
			return 0, false
		}
		members = max(members, n)
	}
	return members, len(parts) > 0
}

// partsOf returns the branches of a union, and the parts of a conjunction.
func partsOf(t model.Type) []model.Type {
	switch t := t.(type) {
	case *model.OneOf:
		return t.Branches
	case *model.AllOf:
		return t.Parts
	}
	return nil
}

// weight estimates the cost of an object made of a type: its words in the ledger, plus the number
// of branches that were merged.
func weight(t model.Type, s shape) int {
	n := 1 + len(s.members.all()) + branches(t)
	if s.union != nil {
		for _, c := range s.union.Cases {
			n += 1 + len(c.Allows)
		}
	}
	return n
}

// branches counts the parts of unions and conjunctions, at any depth, without following
// references.
func branches(t model.Type) int {
	of := partsOf(t)
	n := len(of)
	for _, b := range of {
		n += branches(b)
	}
	return n
}

// sizeOf counts the properties and branches of a type, without following references.
func sizeOf(t model.Type) int {
	n := 0
	switch t := t.(type) {
	case *model.List:
		return sizeOf(t.Elem)
	case *model.Map:
		return sizeOf(t.Elem)
	case *model.Object:
		for _, p := range t.Properties {
			n += 1 + sizeOf(p.Type)
		}
		n += sizeOf(t.Additional)
	case *model.OneOf:
		n += sizesOf(t.Branches)
	case *model.AllOf:
		n += sizesOf(t.Parts)
	}
	return n
}

func sizesOf(types []model.Type) int {
	n := len(types)
	for _, t := range types {
		n += sizeOf(t)
	}
	return n
}
