package openapi

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// schemaNames are the names that random schemas refer to. Some of these inherit.
var schemaNames = []string{"Base", "Heir", "Other", "Text"}

// TestRandomSchemas reads documents of random keywords, mostly with values of the right kind. What
// holds for any bytes must hold for them, and every resource must be returned or broken.
func TestRandomSchemas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dialect := rapid.SampledFrom([]string{"2.0", "3.0.3", "3.1.0"}).Draw(rt, "dialect")
		data, err := json.Marshal(randomDocument(rt, dialect))
		if err != nil {
			rt.Fatal(err)
		}
		checkBytes(t, true, data)
		if result := readBytes(true, data); len(result.Resources)+len(result.Broken) != 1 {
			rt.Fatalf("%d resources and %d broken of\n%s", len(result.Resources), len(result.Broken), data)
		}
		if t.Failed() {
			rt.Fatalf("failed for %s", data)
		}
	})
}

func randomDocument(rt *rapid.T, dialect string) map[string]any {
	body := randomSchemas(4).Draw(rt, "body")
	named := map[string]any{}
	for _, name := range schemaNames {
		named[name] = randomSchemas(3).Draw(rt, name)
	}
	put := map[string]any{"parameters": []any{map[string]any{"in": "body", "schema": body}}}
	doc := map[string]any{"swagger": dialect, "info": map[string]any{"version": "2020-01-01"}, "definitions": named}
	if dialect != "2.0" {
		content := map[string]any{"application/json": map[string]any{"schema": body}}
		put = map[string]any{"requestBody": map[string]any{"content": content}}
		doc = map[string]any{"openapi": dialect, "info": doc["info"], "definitions": named}
	}
	doc["paths"] = map[string]any{"/providers/Acme.Garden/beds/{bed}": map[string]any{"put": put}}
	return doc
}

// randomSchemas generates objects of keywords up to a depth.
func randomSchemas(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(rt *rapid.T) any {
		s := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(rt, "keywords") {
			keyword := rapid.SampledFrom(randomKeywords).Draw(rt, "keyword")
			s[keyword.name] = keyword.value(rt, depth)
		}
		return s
	})
}

type randomKeyword struct {
	name  string
	value func(rt *rapid.T, depth int) any
}

func one(values ...any) func(*rapid.T, int) any {
	return func(rt *rapid.T, _ int) any { return rapid.SampledFrom(values).Draw(rt, "value") }
}

func within(rt *rapid.T, depth int) any {
	if depth == 0 {
		return map[string]any{"$ref": "#/definitions/" + rapid.SampledFrom(schemaNames).Draw(rt, "reference")}
	}
	return randomSchemas(depth-1).Draw(rt, "schema")
}

func several(rt *rapid.T, depth int) any {
	var all []any
	for range rapid.IntRange(1, 3).Draw(rt, "schemas") {
		all = append(all, within(rt, depth))
	}
	return all
}

func properties(rt *rapid.T, depth int) any {
	all := map[string]any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "kind", "id", "name", "x-y"}), 0, 3, rapid.ID[string]).Draw(rt, "names") {
		all[name] = within(rt, depth)
	}
	return all
}

func anyReference(rt *rapid.T, _ int) any { return within(rt, 0).(map[string]any)["$ref"] }

// randomKeywords is set in init, since its generators use randomSchemas.
var randomKeywords []randomKeyword

func init() {
	randomKeywords = []randomKeyword{
		{"$ref", anyReference}, {"type", one("object", "array", "string", "integer", "number", "boolean", "null", []string{"string", "null"}, "any")},
		{"properties", properties}, {"properties", properties}, {"additionalProperties", one(true, false, map[string]any{"type": "string"}, 5)},
		{"required", one([]string{"a", "kind"}, []string{"b"}, "a")}, {"items", within}, {"allOf", several}, {"oneOf", several}, {"anyOf", several},
		{"enum", one([]any{"a", "b"}, []any{1, nil}, []any{}, []any{map[string]any{}})}, {"const", one("a", 1, nil)},
		{"discriminator", one("kind", map[string]any{"propertyName": "kind", "mapping": map[string]any{"h": "#/definitions/Heir", "x": "#/definitions/None"}}, 7)},
		{"x-ms-discriminator-value", one("#v", "")}, {"readOnly", one(true, false)}, {"writeOnly", one(true)}, {"x-ms-mutability", one([]string{"read"}, []string{"create"}, []string{"read", "update"})},
		{"x-ms-secret", one(true)}, {"format", one("password", "int32", "date-time")}, {"x-ms-enum", one(map[string]any{"modelAsString": true})},
		{"pattern", one("^a", "(?!")}, {"minimum", one(1, 1.5, "x")}, {"exclusiveMinimum", one(true, 3)}, {"maxItems", one(3)}, {"default", one(nil, "a", 4)}, {"nullable", one(true)}, {"not", within},
	}
}
