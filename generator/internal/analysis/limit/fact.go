package limit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// limitsOf returns the limits that facts state: those beside an enum, and those of values whose
// type the model does not know, such as integers or texts. It returns nil if there are none.
func limitsOf(facts model.Facts) *model.Limits {
	var l model.Limits
	for _, f := range facts {
		text := strings.Trim(f.Value, `"`)
		switch f.Name {
		case "format":
			l.Format = text
		case "pattern":
			l.Pattern = model.Facts{f}.Text("pattern")
		case "minLength":
			l.MinLength = text
		case "maxLength":
			l.MaxLength = text
		case "minimum":
			l.Minimum = text
		case "maximum":
			l.Maximum = text
		case "exclusiveMinimum":
			l.ExclusiveMin = text == "true"
		case "exclusiveMaximum":
			l.ExclusiveMax = text == "true"
		case "multipleOf":
			l.MultipleOf = text
		case "minItems":
			l.MinItems = text
		case "maxItems":
			l.MaxItems = text
		}
	}
	if l == (model.Limits{}) {
		return nil
	}
	return &l
}

// whole compares a keyword that combines schemas. The order of schemas has no meaning.
func (c *comparison) whole(keyword, was, is string) {
	if was == is || Canonical(was) == Canonical(is) {
		return
	}
	before, after := branches(was), branches(is)
	fewer, more := len(Beyond(after, before)) > 0, len(Beyond(before, after)) > 0
	isList := keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf"
	switch {
	case isList && was != "" && is != "" && !fewer && !more:
	case keyword == "allOf" && was != "" && is != "":
		c.add(keyword, was, is, more, fewer)
	case keyword == "anyOf" && was != "" && is != "":
		c.add(keyword, was, is, fewer, more)
	default: // one schema of oneOf more also refuses values that match it and another one
		c.text(keyword, was, is)
	}
}

// branches returns the canonical texts of a list of schemas.
func branches(text string) (out []string) {
	var all []json.RawMessage
	if text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	for _, one := range all {
		out = append(out, Canonical(string(one)))
	}
	return out
}

// Canonical returns the JSON text of a schema, or of a list of schemas, that all texts with the
// same meaning have: sorted members, sorted names and values, and nothing that only people read.
// It returns other texts as they are.
func Canonical(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if text == "" || d.Decode(&v) != nil {
		return text
	}
	out, err := json.Marshal(canonical(v))
	if err != nil {
		return text
	}
	return string(out)
}

func canonical(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = canonical(v[i])
		}
	case map[string]any:
		for name, member := range v {
			switch {
			case slices.Contains(model.ForPeople, name):
				delete(v, name)
			case name == "required" || name == "enum":
				if list, ok := member.([]any); ok {
					slices.SortFunc(list, compareJSON)
				}
			case name == "properties":
				if named, ok := member.(map[string]any); ok {
					for property := range named {
						named[property] = canonical(named[property])
					}
				}
			case name != "default":
				v[name] = canonical(member)
			}
		}
	}
	return v
}

func compareJSON(a, b any) int {
	x, _ := json.Marshal(a) // both were decoded from JSON
	y, _ := json.Marshal(b)
	return bytes.Compare(x, y)
}
