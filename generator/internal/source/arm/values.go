package arm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// values compiles enum and const to an enum of one kind, or a union of enums. Both results are
// empty if the values do not determine the type: there are none, some are lists or objects, or they
// contradict the types that the schema names. null reports that null is the only value.
func (c *compiler) values(s *schema, types []string) (t model.Type, null bool) {
	nodes, ok := c.allowed(s)
	if !ok {
		return nil, false
	}
	enums := enums{fraction: slices.ContainsFunc(nodes, isFraction)}
	for _, n := range nodes {
		switch {
		case n.Kind() == jsontree.Null:
			null = true
		case n.Kind() >= jsontree.Array:
			c.note(s.at(n), "enum of lists", "a value that is a list or an object cannot be represented by the model; the values are ignored")
			return nil, false
		case !enums.add(n, types):
			c.note(s.at(n), "enum of others", "the value %s is not of the type that the schema names; the type is used, and the values are ignored", n.Raw())
			return nil, false
		}
	}
	if t = enums.typ(); t != nil {
		c.checkUse(s, nil)
		return t, false
	}
	return nil, null
}

// allowed returns the values of a schema. const is narrower than enum.
func (c *compiler) allowed(s *schema) ([]jsontree.Node, bool) {
	if s.constant.Exists() {
		return []jsontree.Node{s.constant}, true
	}
	if !c.isList(s.at(s.enum), "values") {
		return nil, false
	}
	var nodes []jsontree.Node
	for n := range s.enum.All() {
		nodes = append(nodes, n)
	}
	if len(nodes) == 0 {
		c.note(s.at(s.enum), "enum", "an enum without values is ignored")
	}
	return nodes, len(nodes) > 0
}

// enums groups values by kind, in order of appearance. If one number is a fraction, all are of kind
// number.
type enums struct {
	fraction bool
	kinds    []model.Kind
	values   [model.Bool + 1][]string
	seen     map[string]bool
}

// add adds a scalar value. It returns false if types are named and none of them has the value.
func (e *enums) add(n jsontree.Node, types []string) bool {
	kind, ok := e.kind(n, types)
	if !ok {
		return false
	}
	text := canonical(n)
	if e.seen[text] {
		return true
	}
	if e.seen == nil {
		e.seen = map[string]bool{}
	}
	e.seen[text] = true
	if len(e.values[kind]) == 0 {
		e.kinds = append(e.kinds, kind)
	}
	e.values[kind] = append(e.values[kind], text)
	return true
}

// typ returns the type; nil if there are no values.
func (e *enums) typ() model.Type {
	var types []model.Type
	for _, kind := range e.kinds {
		types = append(types, &model.Enum{Base: kind, Values: e.values[kind]})
	}
	return oneOf(types)
}

// kind returns the kind of a value among the types that a schema names, if it names any. A whole
// number may also be of type number.
func (e *enums) kind(n jsontree.Node, types []string) (model.Kind, bool) {
	named := func(typ string) bool {
		return len(types) == 0 || slices.Contains(types, typ) || slices.Contains(types, typeAny)
	}
	switch n.Kind() {
	case jsontree.String:
		return model.String, named(typeString)
	case jsontree.Bool:
		return model.Bool, named(typeBoolean)
	default:
		if !e.fraction && named(typeInteger) {
			return model.Int, true
		}
		return model.Number, named(typeNumber)
	}
}

// isFraction reports whether a value is a number that is not whole, or exceeds 64 bits.
func isFraction(n jsontree.Node) bool {
	if n.Kind() != jsontree.Number {
		return false
	}
	_, err := strconv.ParseInt(n.Raw(), 10, 64)
	return err != nil
}

// canonical returns a value's JSON text, which is the same for all spellings of a string.
func canonical(n jsontree.Node) string {
	raw := n.Raw()
	if n.Kind() != jsontree.String || !strings.Contains(raw, `\`) {
		return plaintext.JSON(raw)
	}
	text, err := jsontext.AppendQuote(nil, n.Text())
	if err != nil {
		return plaintext.JSON(raw)
	}
	return plaintext.JSON(string(text))
}
