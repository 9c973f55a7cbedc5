package older

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stratakube/strata/generator/internal/analysis/limit"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// violation is a requirement that an older value need not meet. If mend is empty, the remedy for
// its kind applies. line declares the remedy below a path of strata.yaml; both may be empty.
type violation struct{ what, text, mend, line, below string }

// compareTypes returns what a type requires beyond an older one. Members of objects are compared
// where their object is.
func compareTypes(was, is model.Type) []violation {
	switch is := is.(type) {
	case *model.List:
		before, ok := was.(*model.List)
		if !ok {
			return nil
		}
		out := factsBeyond(before.Facts, is.Facts)
		out = append(out, limitsBeyond(before.Limits, is.Limits)...)
		return append(out, within("elements: ", compareTypes(before.Elem, is.Elem))...)
	case *model.Map:
		before, ok := was.(*model.Map)
		if !ok {
			return nil
		}
		return append(factsBeyond(before.Facts, is.Facts), within("values: ", compareTypes(before.Elem, is.Elem))...)
	case *model.Enum:
		return append(factsBeyond(model.FactsOf(was), is.Facts), valuesBeyond(was, is)...)
	case *model.Scalar:
		out := factsBeyond(model.FactsOf(was), is.Facts)
		switch before := was.(type) {
		case *model.Scalar:
			return append(out, limitsBeyond(before.Limits, is.Limits)...)
		case *model.Enum:
			return append(out, limitsOfValues(before, is.Limits)...)
		}
	}
	return nil
}

func within(where string, all []violation) []violation {
	for i := range all {
		all[i].text = where + all[i].text
	}
	return all
}

// valuesBeyond returns a violation if values of an older type are not those of an enum.
func valuesBeyond(was model.Type, is *model.Enum) []violation {
	if is.Open {
		return nil
	}
	before, ok := was.(*model.Enum)
	if !ok || before.Open {
		return []violation{{what: Enum, text: "only " + few(is.Values) + ", and any value before"}}
	}
	gone := slices.DeleteFunc(slices.Clone(before.Values), func(v string) bool { return slices.Contains(is.Values, v) })
	if len(gone) == 0 {
		return nil
	}
	out := violation{what: Enum, text: "no longer " + few(gone)}
	fresh := slices.DeleteFunc(slices.Clone(is.Values), func(v string) bool { return slices.Contains(before.Values, v) })
	if len(gone) == 1 && len(fresh) == 1 {
		if renamed, ok := renaming(gone[0], fresh[0]); ok {
			out.line = renamed
		}
	}
	return []violation{out}
}

// renaming declares that a text of an enum has another name. Values are in JSON.
func renaming(was, is string) (string, bool) {
	var from, to string
	if json.Unmarshal([]byte(was), &from) != nil || json.Unmarshal([]byte(is), &to) != nil {
		return "", false
	}
	return operation.Operation{Kind: operation.Values, Pairs: []string{from, to}}.String(), true
}

// most is how many values a text lists.
const most = 5

func few(values []string) string {
	if len(values) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:most], ", "), len(values)-most)
	}
	return strings.Join(values, ", ")
}

// limitsOfValues returns the limits that values of an older enum exceed. It includes a pattern that
// Go cannot compile.
func limitsOfValues(was *model.Enum, is *model.Limits) []violation {
	if is == nil || was.Base != model.String {
		return nil
	}
	if was.Open {
		return limitsBeyond(nil, is)
	}
	pattern, err := regexp.Compile(is.Pattern)
	exceeds := func(value string) bool {
		var text string
		if json.Unmarshal([]byte(value), &text) != nil {
			return false
		}
		n := float64(utf8.RuneCountInString(text))
		return err != nil || !pattern.MatchString(text) || is.MinLength != "" && n < limit.Number(is.MinLength) || is.MaxLength != "" && n > limit.Number(is.MaxLength)
	}
	if !slices.ContainsFunc(was.Values, exceeds) {
		return nil
	}
	return limitsBeyond(nil, is)
}

// limitsBeyond returns the limits that are narrower than older ones.
func limitsBeyond(was, is *model.Limits) []violation {
	return violationsOf(limit.Compare(was, is), func(c limit.Change) string {
		if strings.HasPrefix(c.Keyword, "exclusive") {
			c.New = map[string]string{"exclusiveMinimum": is.Minimum, "exclusiveMaximum": is.Maximum}[c.Keyword]
		}
		return requirement(c)
	})
}

// factsBeyond returns the rules and keywords of a schema that an older one lacks.
func factsBeyond(was, is model.Facts) []violation {
	out := violationsOf(limit.CompareFacts(was, is), requirement)
	slices.SortStableFunc(out, func(a, b violation) int { return cmp.Compare(ordinal(a), ordinal(b)) })
	if kind := is.Get("x-kubernetes-list-type"); (kind == `"set"` || kind == `"map"`) && kind != was.Get("x-kubernetes-list-type") {
		out = append(out, violation{what: Limit, text: "no two elements with one key"})
	}
	return out
}

// ordinal orders rules before limits.
func ordinal(v violation) int {
	if v.what == Rule {
		return 0
	}
	return 1
}

// violationsOf returns a violation for each constraint that is narrower than before.
func violationsOf(all []limit.Change, text func(limit.Change) string) []violation {
	var out []violation
	for _, c := range all {
		switch {
		case !c.Narrower:
		case c.Keyword == model.RuleKeyword:
			out = append(out, violation{what: Rule, text: c.New})
		default:
			out = append(out, violation{what: Limit, text: text(c)})
		}
	}
	return out
}

// requirement states what a constraint requires.
func requirement(c limit.Change) string {
	switch c.Keyword {
	case "pattern":
		return "matches " + strconv.Quote(c.New)
	case "format":
		return "has the format " + strconv.Quote(c.New)
	case "minLength":
		return "at least " + c.New + " characters"
	case "maxLength":
		return "at most " + c.New + " characters"
	case "minimum", "exclusiveMinimum":
		return "at least " + c.New
	case "maximum", "exclusiveMaximum":
		return "at most " + c.New
	case "multipleOf":
		return "a multiple of " + c.New
	case "minItems":
		return "at least " + c.New + " elements"
	case "maxItems":
		return "at most " + c.New + " elements"
	case "uniqueItems":
		return "no element twice"
	}
	return c.Keyword + " " + short(c.New)
}

// longest is the largest length of a keyword's value in a text.
const longest = 60

func short(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "..."
	}
	return text
}
