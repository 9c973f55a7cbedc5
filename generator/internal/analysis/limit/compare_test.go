package limit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/model"
)

func text(all []Change) string {
	var out []string
	for _, c := range all {
		line := c.Keyword + " " + c.Old + ">" + c.New
		if c.Narrower {
			line += " narrower"
		}
		if c.Wider {
			line += " wider"
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

// TestCompare compares limits in both directions: what is narrower in one is wider in the other.
func TestCompare(t *testing.T) {
	for name, test := range map[string]struct {
		was, is     model.Limits
		there, back string
	}{
		"equal":         {model.Limits{Maximum: "3", Pattern: "a"}, model.Limits{Maximum: "3", Pattern: "a"}, "", ""},
		"maximum":       {model.Limits{Maximum: "3"}, model.Limits{Maximum: "20"}, "maximum 3>20 wider", "maximum 20>3 narrower"},
		"same number":   {model.Limits{Maximum: "20"}, model.Limits{Maximum: "2e1"}, "", ""},
		"new maximum":   {model.Limits{}, model.Limits{Maximum: "0"}, "maximum >0 narrower", "maximum 0> wider"},
		"minimum":       {model.Limits{Minimum: "-1"}, model.Limits{Minimum: "0"}, "minimum -1>0 narrower", "minimum 0>-1 wider"},
		"exclusive":     {model.Limits{Minimum: "1"}, model.Limits{Minimum: "1", ExclusiveMin: true}, "exclusiveMinimum >true narrower", "exclusiveMinimum true> wider"},
		"exclusive max": {model.Limits{Maximum: "1"}, model.Limits{Maximum: "1", ExclusiveMax: true}, "exclusiveMaximum >true narrower", "exclusiveMaximum true> wider"},
		"both":          {model.Limits{Maximum: "1"}, model.Limits{Maximum: "2", ExclusiveMax: true}, "maximum 1>2 wider", "maximum 2>1 narrower"},
		"pattern":       {model.Limits{Pattern: "a"}, model.Limits{Pattern: "b"}, "pattern a>b narrower wider", "pattern b>a narrower wider"},
		"new pattern":   {model.Limits{}, model.Limits{Pattern: "b"}, "pattern >b narrower", "pattern b> wider"},
		"format":        {model.Limits{Format: "uuid"}, model.Limits{}, "format uuid> wider", "format >uuid narrower"},
		"width":         {model.Limits{Format: "int32"}, model.Limits{Format: "int64"}, "", ""},
		"zero length":   {model.Limits{}, model.Limits{MinLength: "0", MinItems: "0"}, "", ""},
		"lengths":       {model.Limits{MinLength: "1", MaxLength: "5"}, model.Limits{MinLength: "2", MaxLength: "4"}, "minLength 1>2 narrower; maxLength 5>4 narrower", "minLength 2>1 wider; maxLength 4>5 wider"},
		"items":         {model.Limits{MinItems: "1", MaxItems: "5"}, model.Limits{}, "minItems 1> wider; maxItems 5> wider", "minItems >1 narrower; maxItems >5 narrower"},
		"unique":        {model.Limits{}, model.Limits{Unique: true}, "uniqueItems >true narrower", "uniqueItems true> wider"},
		"multiple":      {model.Limits{MultipleOf: "2"}, model.Limits{MultipleOf: "4"}, "multipleOf 2>4 narrower", "multipleOf 4>2 wider"},
		"no multiple":   {model.Limits{MultipleOf: "0.2"}, model.Limits{MultipleOf: "0.3"}, "multipleOf 0.2>0.3 narrower wider", "multipleOf 0.3>0.2 narrower wider"},
		"new multiple":  {model.Limits{}, model.Limits{MultipleOf: "4"}, "multipleOf >4 narrower", "multipleOf 4> wider"},
		"same multiple": {model.Limits{MultipleOf: "2"}, model.Limits{MultipleOf: "2.0"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.there, text(Compare(&test.was, &test.is))); diff != "" {
				t.Errorf("there (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.back, text(Compare(&test.is, &test.was))); diff != "" {
				t.Errorf("back (-want +got):\n%s", diff)
			}
		})
	}
	if got := text(Compare(nil, &model.Limits{Unique: true})) + text(Compare(nil, nil)); got != "uniqueItems >true narrower" {
		t.Error(got)
	}
}

// TestCompareFacts has limits and rules that are keywords of a schema.
func TestCompareFacts(t *testing.T) {
	was := model.Facts{{Name: model.RuleKeyword, Value: `[{"rule":"a"},{"rule":"b","message":"m"}]`}, {Name: "minProperties", Value: "1"}, {Name: "not", Value: "{}"}}
	is := model.Facts{{Name: model.RuleKeyword, Value: `[{"rule":"b"},{"rule":"c"}]`}, {Name: "maxProperties", Value: "4"}, {Name: "nullable", Value: "true"}}
	const want = "minProperties 1> wider; maxProperties >4 narrower; not {}> wider; " + model.RuleKeyword + " >c narrower; " + model.RuleKeyword + " a> wider"
	if got := text(CompareFacts(was, is)); got != want {
		t.Errorf("got %s", got)
	}
	if got := CompareFacts(is, is); got != nil {
		t.Errorf("a schema differs from itself: %v", got)
	}
}

// TestCompareSchemas has keywords that combine schemas, and limits that are facts.
func TestCompareSchemas(t *testing.T) {
	for name, test := range map[string]struct{ keyword, was, is, there, back string }{
		"order":         {"anyOf", `[{"required":["a","b"]},{"minProperties":1}]`, `[{"minProperties":1},{"required":["b","a"]}]`, "", ""},
		"members":       {"not", `{"required":["a"],"enum":[1,"b"]}`, `{"enum":["b",1],"required":["a"]}`, "", ""},
		"descriptions":  {"allOf", `[{"description":"a","minLength":1}]`, `[{"minLength":1}]`, "", ""},
		"a description": {"not", `{"properties":{"description":{"type":"string"}}}`, `{"properties":{}}`, "not narrower wider", "not narrower wider"},
		"allOf":         {"allOf", `[{"minLength":1}]`, `[{"minLength":1},{"maxLength":3}]`, "allOf narrower", "allOf wider"},
		"anyOf":         {"anyOf", `[{"minLength":1}]`, `[{"minLength":1},{"maxLength":3}]`, "anyOf wider", "anyOf narrower"},
		"oneOf":         {"oneOf", `[{"minLength":1}]`, `[{"minLength":1},{"maxLength":3}]`, "oneOf narrower wider", "oneOf narrower wider"},
		"new":           {"oneOf", ``, `[{"minLength":1}]`, "oneOf narrower", "oneOf wider"},
		"maximum":       {"maximum", `3`, `2`, "maximum narrower", "maximum wider"},
		"pattern":       {"pattern", ``, `"^\\d"`, "pattern narrower", "pattern wider"},
		"multiple":      {"multipleOf", `2`, `6`, "multipleOf narrower", "multipleOf wider"},
		"no JSON":       {"anyOf", `[`, `[[`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			facts := func(value string) model.Facts {
				if value == "" {
					return nil
				}
				return model.Facts{{Name: test.keyword, Value: value}}
			}
			short := func(all []Change) string {
				for i := range all {
					all[i].Old, all[i].New = "", ""
				}
				return strings.ReplaceAll(text(all), " >", "")
			}
			if got := short(CompareFacts(facts(test.was), facts(test.is))); got != test.there {
				t.Errorf("there %q, not %q", got, test.there)
			}
			if got := short(CompareFacts(facts(test.is), facts(test.was))); got != test.back {
				t.Errorf("back %q, not %q", got, test.back)
			}
		})
	}
}
