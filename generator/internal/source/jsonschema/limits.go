package jsonschema

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// limitRow describes a keyword that limits values: the types that it limits, the type that it
// implies if the schema names none, and the kinds of its value.
type limitRow struct {
	name   string
	types  []string
	infer  string
	kinds  []syntax.Kind
	assign func(*model.Limits, document.Location)
}

var (
	strs    = []string{TypeString}
	numbers = []string{TypeInteger, TypeNumber}
	lists   = []string{TypeArray}

	aNumber = []syntax.Kind{syntax.Number}
	aString = []syntax.Kind{syntax.String}
	aBool   = []syntax.Kind{syntax.Bool}
)

const limitCount = 12

// limitTable is in the order in which limits are applied. A numeric exclusive bound (draft 6) comes
// after the plain one.
var limitTable = [limitCount]limitRow{
	{"format", []string{TypeString, TypeInteger, TypeNumber}, "", aString, func(l *model.Limits, n document.Location) {
		l.Format = n.Text()
	}},
	{"pattern", strs, TypeString, aString, func(l *model.Limits, n document.Location) { l.Pattern = n.Text() }},
	{"minLength", strs, TypeString, aNumber, func(l *model.Limits, n document.Location) { l.MinLength = n.Number() }},
	{"maxLength", strs, TypeString, aNumber, func(l *model.Limits, n document.Location) { l.MaxLength = n.Number() }},
	{"minimum", numbers, TypeNumber, aNumber, func(l *model.Limits, n document.Location) { l.Minimum = n.Number() }},
	{"maximum", numbers, TypeNumber, aNumber, func(l *model.Limits, n document.Location) { l.Maximum = n.Number() }},
	{"exclusiveMinimum", numbers, TypeNumber, slices.Concat(aBool, aNumber), func(l *model.Limits, n document.Location) {
		exclusive(n, &l.Minimum, &l.ExclusiveMin)
	}},
	{"exclusiveMaximum", numbers, TypeNumber, slices.Concat(aBool, aNumber), func(l *model.Limits, n document.Location) {
		exclusive(n, &l.Maximum, &l.ExclusiveMax)
	}},
	{"multipleOf", numbers, TypeNumber, aNumber, func(l *model.Limits, n document.Location) { l.MultipleOf = n.Number() }},
	{"minItems", lists, TypeArray, aNumber, func(l *model.Limits, n document.Location) { l.MinItems = n.Number() }},
	{"maxItems", lists, TypeArray, aNumber, func(l *model.Limits, n document.Location) { l.MaxItems = n.Number() }},
	{"uniqueItems", lists, TypeArray, aBool, func(l *model.Limits, n document.Location) { l.Unique = n.IsTrue() }},
}

var limitNames = func() map[string]int {
	names := map[string]int{}
	for i, row := range limitTable {
		names[row.name] = i
	}
	return names
}()

// exclusive reads both forms of an exclusive bound: a boolean beside the plain bound (draft 4),
// which has no meaning without it, or a bound of its own.
func exclusive(n document.Location, bound *string, flag *bool) {
	if n.Kind() == syntax.Bool {
		*flag = n.IsTrue() && *bound != ""
		return
	}
	*bound, *flag = n.Number(), true
}

// limits returns the limits of a schema for values of a type; nil if there are none.
func (c *Compiler) limits(s *schema, typ string) *model.Limits {
	if !s.mayLimit {
		return nil
	}
	var l *model.Limits
	for i := range s.limits {
		at, row := s.limits[i], &limitTable[i]
		if !at.Exists() || !slices.Contains(row.types, typ) || !slices.Contains(row.kinds, at.Kind()) {
			continue
		}
		if l == nil {
			l = &model.Limits{}
		}
		row.assign(l, at)
	}
	if l == nil || *l == (model.Limits{}) {
		return nil
	}
	return l
}

// Limits returns limits, or nil if there are none.
func Limits(l model.Limits) *model.Limits {
	if l == (model.Limits{}) {
		return nil
	}
	return &l
}

// checkLimits reports limits of the wrong kind, and adds notes for those that limit none of the
// schema's types.
func (c *Compiler) checkLimits(s *schema, types []string) {
	if !s.mayLimit {
		return
	}
	for i := range s.limits {
		at, row := s.limits[i], &limitTable[i]
		if !at.Exists() {
			continue
		}
		if !slices.Contains(row.kinds, at.Kind()) {
			c.Fail(at.Errorf("%s must be %s, not %s", row.name, Kinds(row.kinds), at.Kind()))
		} else if !slices.ContainsFunc(types, func(t string) bool { return slices.Contains(row.types, t) }) {
			c.dialect.Unused(at)
		}
	}
}

// Kinds returns kinds of values as alternatives, for messages.
func Kinds(kinds []syntax.Kind) string {
	var words []string
	for _, k := range kinds {
		words = append(words, k.String())
	}
	return strings.Join(words, " or ")
}
