package limit

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Change is a constraint that two schemas state differently.
type Change struct {
	// Keyword is that of a schema, such as maximum.
	Keyword string
	// Old and New are the values of the keyword; empty for none.
	Old, New string
	// Narrower means that the later schema can refuse values that the earlier one allows, and Wider
	// the reverse. A changed pattern does both.
	Narrower, Wider bool
}

// The keywords of schemas whose values are compared as a whole. CRDs have only the first four.
var wholes = []string{
	"oneOf", "anyOf", "allOf", "not", "if", "then", "else", "contains", "prefixItems", "propertyNames", "patternProperties", "dependentRequired",
	"dependentSchemas", "dependencies", "unevaluatedItems", "unevaluatedProperties", "contentSchema", "contentMediaType", "contentEncoding",
}

// Compare returns the limits that differ, in the order of [model.Limits]. Each argument may be nil.
func Compare(was, is *model.Limits) []Change {
	if was == is {
		return nil
	}
	if was == nil {
		was = &model.Limits{}
	}
	if is == nil {
		is = &model.Limits{}
	}
	c := &comparison{}
	c.text("pattern", thatRefuses(was.Pattern), thatRefuses(is.Pattern))
	if IsOfText(was.Format) && IsOfText(is.Format) {
		c.text("format", was.Format, is.Format)
	}
	c.atLeast("minLength", was.MinLength, is.MinLength, true)
	c.atMost("maxLength", was.MaxLength, is.MaxLength)
	c.bound(was, is)
	c.multiple(was.MultipleOf, is.MultipleOf)
	c.atLeast("minItems", was.MinItems, is.MinItems, true)
	c.atMost("maxItems", was.MaxItems, is.MaxItems)
	if was.Unique != is.Unique {
		c.add("uniqueItems", truth(was.Unique), truth(is.Unique), is.Unique, was.Unique)
	}
	return c.changes
}

// CompareFacts returns the constraints in facts that differ.
func CompareFacts(was, is model.Facts) []Change {
	if len(was) == 0 && len(is) == 0 {
		return nil
	}
	c := &comparison{changes: Compare(limitsOf(was), limitsOf(is))}
	c.atLeast("minProperties", was.Get("minProperties"), is.Get("minProperties"), true)
	c.atMost("maxProperties", was.Get("maxProperties"), is.Get("maxProperties"))
	c.atLeast("minContains", was.Get("minContains"), is.Get("minContains"), false)
	c.atMost("maxContains", was.Get("maxContains"), is.Get("maxContains"))
	for _, keyword := range wholes {
		c.whole(keyword, was.Get(keyword), is.Get(keyword))
	}
	before, after := Rules(was), Rules(is)
	for _, r := range Beyond(before, after) {
		c.add(model.RuleKeyword, "", r, true, false)
	}
	for _, r := range Beyond(after, before) {
		c.add(model.RuleKeyword, r, "", false, true)
	}
	return c.changes
}

// Beyond returns the texts that known lacks.
func Beyond(known, all []string) []string {
	has := make(map[string]bool, len(known))
	for _, text := range known {
		has[text] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(text string) bool { return has[text] })
}

// Rules returns the rules in CEL of a schema. One that is checked for new objects, too, says so.
func Rules(facts model.Facts) (texts []string) {
	var all []struct {
		Rule            string `json:"rule"`
		OptionalOldSelf bool   `json:"optionalOldSelf"`
	}
	if text := facts.Get(model.RuleKeyword); text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	for _, r := range all {
		if r.OptionalOldSelf {
			r.Rule += " (optionalOldSelf)"
		}
		texts = append(texts, r.Rule)
	}
	return texts
}

// IsOfText reports whether a format limits texts. The formats of numbers state a width.
func IsOfText(format string) bool {
	return !strings.HasPrefix(format, "int") && format != "float" && format != "double"
}

type comparison struct{ changes []Change }

func (c *comparison) add(keyword, old, later string, narrower, wider bool) {
	c.changes = append(c.changes, Change{keyword, old, later, narrower, wider})
}

// text compares a constraint whose values have no order.
func (c *comparison) text(keyword, was, is string) {
	if was != is {
		c.add(keyword, was, is, is != "", was != "")
	}
}

// multiple compares the numbers that values are multiples of. A multiple of four is one of two.
func (c *comparison) multiple(was, is string) {
	if Number(was) == Number(is) {
		return
	}
	of := func(a, b string) bool {
		x, isNumber := new(big.Rat).SetString(a)
		y, isToo := new(big.Rat).SetString(b)
		return isNumber && isToo && y.Sign() != 0 && x.Quo(x, y).IsInt()
	}
	c.add("multipleOf", was, is, is != "" && !of(was, is), was != "" && !of(is, was))
}

// atMost compares an upper bound.
func (c *comparison) atMost(keyword, was, is string) {
	narrower, wider := is != "" && (was == "" || Number(is) < Number(was)), was != "" && (is == "" || Number(is) > Number(was))
	if narrower || wider {
		c.add(keyword, was, is, narrower, wider)
	}
}

// atLeast compares a lower bound. A bound of zero on a count refuses nothing.
func (c *comparison) atLeast(keyword, was, is string, isCount bool) {
	if isCount {
		was, is = withoutZero(was), withoutZero(is)
	}
	narrower, wider := is != "" && (was == "" || Number(is) > Number(was)), was != "" && (is == "" || Number(is) < Number(was))
	if narrower || wider {
		c.add(keyword, was, is, narrower, wider)
	}
}

// bound compares the bounds of numbers, which may be exclusive.
func (c *comparison) bound(was, is *model.Limits) {
	n := len(c.changes)
	c.atLeast("minimum", was.Minimum, is.Minimum, false)
	if len(c.changes) == n && was.ExclusiveMin != is.ExclusiveMin && is.Minimum != "" {
		c.add("exclusiveMinimum", truth(was.ExclusiveMin), truth(is.ExclusiveMin), is.ExclusiveMin, was.ExclusiveMin)
	}
	n = len(c.changes)
	c.atMost("maximum", was.Maximum, is.Maximum)
	if len(c.changes) == n && was.ExclusiveMax != is.ExclusiveMax && is.Maximum != "" {
		c.add("exclusiveMaximum", truth(was.ExclusiveMax), truth(is.ExclusiveMax), is.ExclusiveMax, was.ExclusiveMax)
	}
}

// thatRefuses returns a pattern; empty for one that all texts match.
func thatRefuses(pattern string) string {
	if slices.Contains([]string{".*", "^.*$", "^.*", ".*$", "(.*)", "^(.*)$"}, pattern) {
		return ""
	}
	return pattern
}

func withoutZero(text string) string {
	if Number(text) == 0 {
		return ""
	}
	return text
}

func truth(on bool) string {
	if on {
		return "true"
	}
	return ""
}

// Number returns the value of a limit. An empty text is zero.
func Number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64) // limits are numbers
	return n
}
