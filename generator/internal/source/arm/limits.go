package arm

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// limitRow describes a keyword that limits values: the types that it limits, the type that it
// implies if the schema names none, and the kinds of its value.
type limitRow struct {
	name   string
	types  []string
	infer  string
	kinds  []jsontree.Kind
	assign func(*model.Limits, jsontree.Node)
}

var (
	strs    = []string{typeString}
	numbers = []string{typeInteger, typeNumber}
	lists   = []string{typeArray}

	aNumber = []jsontree.Kind{jsontree.Number}
	aString = []jsontree.Kind{jsontree.String}
	aBool   = []jsontree.Kind{jsontree.Bool}
)

const limitCount = 12

// limitTable is in the order in which limits are applied. A numeric exclusive bound (draft 6) comes
// after the plain one.
var limitTable = [limitCount]limitRow{
	{"format", []string{typeString, typeInteger, typeNumber}, "", aString, func(l *model.Limits, n jsontree.Node) { l.Format = n.Text() }},
	{"pattern", strs, typeString, aString, func(l *model.Limits, n jsontree.Node) { l.Pattern = n.Text() }},
	{"minLength", strs, typeString, aNumber, func(l *model.Limits, n jsontree.Node) { l.MinLength = n.Raw() }},
	{"maxLength", strs, typeString, aNumber, func(l *model.Limits, n jsontree.Node) { l.MaxLength = n.Raw() }},
	{"minimum", numbers, typeNumber, aNumber, func(l *model.Limits, n jsontree.Node) { l.Minimum = n.Raw() }},
	{"maximum", numbers, typeNumber, aNumber, func(l *model.Limits, n jsontree.Node) { l.Maximum = n.Raw() }},
	{"exclusiveMinimum", numbers, typeNumber, slices.Concat(aBool, aNumber), func(l *model.Limits, n jsontree.Node) {
		exclusive(n, &l.Minimum, &l.ExclusiveMin)
	}},
	{"exclusiveMaximum", numbers, typeNumber, slices.Concat(aBool, aNumber), func(l *model.Limits, n jsontree.Node) {
		exclusive(n, &l.Maximum, &l.ExclusiveMax)
	}},
	{"multipleOf", numbers, typeNumber, aNumber, func(l *model.Limits, n jsontree.Node) { l.MultipleOf = n.Raw() }},
	{"minItems", lists, typeArray, aNumber, func(l *model.Limits, n jsontree.Node) { l.MinItems = n.Raw() }},
	{"maxItems", lists, typeArray, aNumber, func(l *model.Limits, n jsontree.Node) { l.MaxItems = n.Raw() }},
	{"uniqueItems", lists, typeArray, aBool, func(l *model.Limits, n jsontree.Node) { l.Unique = n.IsTrue() }},
}

var limitNames = func() map[string]int {
	names := map[string]int{}
	for i, row := range limitTable {
		names[row.name] = i
	}
	return names
}()

// exclusive reads both forms of an exclusive bound: a boolean beside the plain bound (draft 4), or
// a bound of its own.
func exclusive(n jsontree.Node, bound *string, flag *bool) {
	if n.Kind() == jsontree.Bool {
		*flag = n.IsTrue()
		return
	}
	*bound, *flag = n.Raw(), true
}

// limits returns the limits of a schema for values of a type; nil if there are none.
func (c *compiler) limits(s *schema, typ string) *model.Limits {
	var l model.Limits
	for i, node := range s.limits {
		row := &limitTable[i]
		if node.Exists() && slices.Contains(row.types, typ) && slices.Contains(row.kinds, node.Kind()) {
			row.assign(&l, node)
		}
	}
	if l == (model.Limits{}) {
		return nil
	}
	return &l
}

// checkLimits reports limits of the wrong kind, and adds notes for those that limit none of the
// schema's types.
func (c *compiler) checkLimits(s *schema, types []string) {
	for i, node := range s.limits {
		if !node.Exists() {
			continue
		}
		row := &limitTable[i]
		if !slices.Contains(row.kinds, node.Kind()) {
			c.fail(s.at(node).errorf("%s must be %s, not %s", row.name, alternatives(row.kinds), node.Kind()))
		} else if !slices.ContainsFunc(types, func(t string) bool { return slices.Contains(row.types, t) }) {
			c.unused(s.at(node))
		}
	}
}

func alternatives(kinds []jsontree.Kind) string {
	var words []string
	for _, k := range kinds {
		words = append(words, k.String())
	}
	return strings.Join(words, " or ")
}
