package arm

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRandomSchemas reads schemas of random keywords, mostly with values of the right kind. They
// must pass checkBytes, and every resource must be returned or broken.
func TestRandomSchemas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		root := map[string]any{"type": "object", "properties": map[string]any{
			"type": map[string]any{"enum": []string{"Acme.Garden/beds"}}, "body": schemas(4).Draw(rt, "body"),
		}}
		if union := rapid.SampledFrom([]string{"", "allOf", "oneOf"}).Draw(rt, "union"); union != "" {
			root[union] = rapid.SliceOfN(schemas(2), 1, 3).Draw(rt, "branches")
		}
		definitions := map[string]any{}
		for _, name := range definitionNames {
			definitions[name] = schemas(3).Draw(rt, name)
		}
		data, err := json.Marshal(map[string]any{
			"resourceDefinitions": map[string]any{"beds": root}, "definitions": definitions,
		})
		if err != nil {
			rt.Fatal(err)
		}
		checkBytes(t, data)
		if result := readBytes(t, data); len(result.Resources)+len(result.Broken) != 1 {
			rt.Fatalf("%d resources and %d broken of\n%s", len(result.Resources), len(result.Broken), data)
		}
		if t.Failed() {
			rt.Fatalf("failed for %s", data)
		}
	})
}

var definitionNames = []string{"A", "B", "a b", "c/d"}

// schemas generates schemas up to a depth.
func schemas(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
			return leaves.Draw(t, "leaf")
		}
		schema := map[string]any{}
		for _, keyword := range rapid.SliceOfNDistinct(rapid.SampledFrom(keywordNames), 1, 4, rapid.ID).Draw(t, "keywords") {
			schema[keyword] = valuesOf(keyword, depth-1).Draw(t, keyword)
		}
		return schema
	})
}

var leaves = rapid.SampledFrom([]any{
	true, false, map[string]any{}, map[string]any{"type": "string"}, map[string]any{"type": "object"}, map[string]any{"type": "null"},
	map[string]any{"$ref": "https://x.example/common/definitions.json#/definitions/expression"}, map[string]any{"$ref": "#/definitions/A"},
})

var keywordNames = strings.Fields("$ref type enum const properties patternProperties additionalProperties required items " +
	"additionalItems allOf oneOf anyOf description default readOnly minLength minimum exclusiveMinimum pattern format uniqueItems not")

// valuesOf generates values of a keyword.
func valuesOf(keyword string, depth int) *rapid.Generator[any] {
	switch keyword {
	case "properties", "patternProperties":
		return named(depth)
	case "additionalProperties", "additionalItems", "not":
		return schemas(depth)
	case "allOf", "oneOf", "anyOf":
		return listed(depth)
	case "items":
		return rapid.OneOf(schemas(depth), schemas(depth), listed(depth))
	}
	return rapid.SampledFrom(scalarValues[keyword])
}

var scalarValues = map[string][]any{
	"$ref": {
		"#/definitions/A", "#/definitions/B", "#/definitions/a%20b", "#/definitions/c~1d", "#/definitions/B/properties/x",
		"../2019-01-01/acme.garden.json#/definitions/Bed", "https://x.example/common/definitions.json#/definitions/numberOrExpression",
		"https://x.example/common/definitions.json#/definitions/plan",
	},
	"type": {
		"string", "integer", "number", "boolean", "object", "array", "null", []string{"string", "null"}, []string{"object", "integer"},
	},
	"enum":             {[]any{"a"}, []any{"a", "b"}, []any{1, 2.5}, []any{nil, true}, []any{1, "a"}, []any{}, []any{[]any{}}},
	"const":            {"a", 1, nil, true, map[string]any{}},
	"required":         {[]any{"x"}, []any{"y", "z", "y"}, []any{}},
	"description":      {"A word.", "  ", "\"\n"},
	"default":          {nil, 1, "x", map[string]any{"a": []any{1}}},
	"readOnly":         {true, false},
	"minLength":        {0, 3},
	"minimum":          {-1, 2.5, 1e300},
	"exclusiveMinimum": {true, false, 3},
	"pattern":          {"^a$", "(?!b)\""},
	"format":           {"date-time", "int64"},
	"uniqueItems":      {true},
}

func named(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		return rapid.MapOfN(rapid.SampledFrom([]string{"x", "y", "name", "allOf", "enum"}), schemas(depth), 0, 3).Draw(t, "named")
	})
}

func listed(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(schemas(depth), 1, 3).Draw(t, "listed") })
}
