package older

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
		return err != nil || !pattern.MatchString(text) || is.MinLength != "" && n < number(is.MinLength) || is.MaxLength != "" && n > number(is.MaxLength)
	}
	if !slices.ContainsFunc(was.Values, exceeds) {
		return nil
	}
	return limitsBeyond(nil, is)
}

// limitsBeyond returns the limits that are narrower than older ones.
func limitsBeyond(was, is *model.Limits) []violation {
	if is == nil {
		return nil
	}
	if was == nil {
		was = &model.Limits{}
	}
	var out []violation
	add := func(differs bool, text string) {
		if differs {
			out = append(out, violation{what: Limit, text: text})
		}
	}
	isLower := func(was, is string) bool { return is != "" && (was == "" || number(is) < number(was)) }
	isHigher := func(was, is string) bool { return is != "" && (was == "" || number(is) > number(was)) }
	least := func(was, is string) bool { return isHigher(was, is) && number(is) > 0 }
	isText := func(format string) bool {
		return !strings.HasPrefix(format, "int") && format != "float" && format != "double"
	}
	add(is.Pattern != "" && is.Pattern != was.Pattern, "matches "+strconv.Quote(is.Pattern))
	add(is.Format != "" && is.Format != was.Format && isText(is.Format), "has the format "+strconv.Quote(is.Format))
	add(least(was.MinLength, is.MinLength), "at least "+is.MinLength+" characters")
	add(isLower(was.MaxLength, is.MaxLength), "at most "+is.MaxLength+" characters")
	add(isHigher(was.Minimum, is.Minimum) || is.ExclusiveMin && !was.ExclusiveMin && is.Minimum == was.Minimum, "at least "+is.Minimum)
	add(isLower(was.Maximum, is.Maximum) || is.ExclusiveMax && !was.ExclusiveMax && is.Maximum == was.Maximum, "at most "+is.Maximum)
	add(is.MultipleOf != "" && is.MultipleOf != was.MultipleOf, "a multiple of "+is.MultipleOf)
	add(least(was.MinItems, is.MinItems), "at least "+is.MinItems+" elements")
	add(isLower(was.MaxItems, is.MaxItems), "at most "+is.MaxItems+" elements")
	add(is.Unique && !was.Unique, "no element twice")
	return out
}

func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64) // limits are numbers
	return n
}

// factsBeyond returns the rules and keywords of a schema that an older one lacks.
func factsBeyond(was, is model.Facts) []violation {
	var out []violation
	for _, rule := range rulesBeyond(was, is) {
		out = append(out, violation{what: Rule, text: rule})
	}
	for _, keyword := range []string{"minProperties", "maxProperties", "oneOf", "anyOf", "allOf", "not"} {
		if now := is.Get(keyword); now != "" && now != was.Get(keyword) {
			out = append(out, violation{what: Limit, text: keyword + " " + short(now)})
		}
	}
	if kind := is.Get("x-kubernetes-list-type"); (kind == `"set"` || kind == `"map"`) && kind != was.Get("x-kubernetes-list-type") {
		out = append(out, violation{what: Limit, text: "no two elements with one key"})
	}
	return out
}

// rulesBeyond returns the texts of the rules that an older schema lacks.
func rulesBeyond(was, is model.Facts) []string {
	type rule struct {
		Rule string `json:"rule"`
	}
	rulesOf := func(facts model.Facts) (texts []string) {
		var all []rule
		if json.Unmarshal([]byte(facts.Get("x-kubernetes-validations")), &all) != nil {
			return nil
		}
		for _, r := range all {
			texts = append(texts, r.Rule)
		}
		return texts
	}
	before := rulesOf(was)
	return slices.DeleteFunc(rulesOf(is), func(text string) bool { return slices.Contains(before, text) })
}

// longest is the largest length of a keyword's value in a text.
const longest = 60

func short(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "..."
	}
	return text
}
