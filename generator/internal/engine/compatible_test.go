package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/progress"
)

// rewriting makes a compatible schema of another one.
type rewriting struct {
	name  string
	forms string // the beginning of the forms that it is for
	// of changes a decoded file in place.
	of func(file map[string]any)
	// changes is set if there may be changes that break nothing.
	changes bool
}

var rewritings = []rewriting{
	{"another order", "", func(map[string]any) {}, false},
	{"other descriptions", "", func(file map[string]any) { everySchema(file, describe) }, true},
	{"more properties and values", "", func(file map[string]any) { everySchema(file, extend) }, true},
	{"references", "openapi", refer, false},
	{"conjunctions of one part", "openapi", conjoin, false},
}

// TestCompatible rewrites the schemas of TestParity in ways that are compatible, and checks that no
// finding breaks anything.
func TestCompatible(t *testing.T) {
	files, err := filepath.Glob("testdata/parity/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	pairs := 0
	for _, file := range files {
		p := readParity(t, file)
		for _, how := range rewritings {
			if !strings.HasPrefix(p.Form, how.forms) {
				continue
			}
			pairs += len(p.Pairs)
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+how.name, func(t *testing.T) {
				t.Parallel()
				p.rewritten(t, how)
			})
		}
	}
	if pairs < 100 {
		t.Errorf("%d pairs are too few", pairs)
	}
}

func (p parity) rewritten(t *testing.T, how rewriting) {
	for _, pair := range p.Pairs {
		if pair.At == "versions" {
			continue
		}
		text := p.text(t, pair, 1, pair.Is)
		var file map[string]any
		if err := json.Unmarshal([]byte(text), &file); err != nil {
			t.Fatal(err)
		}
		how.of(file)
		later := backwards(file, "")
		dir := t.TempDir()
		write(t, dir, "old/widget.yaml", text)
		write(t, dir, "new/widget.yaml", later)
		messages := new(diag.List)
		result, err := engine.Engine{}.Diff(t.Context(), engine.DiffRequest{
			Request: engine.Request{Messages: messages, Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false)},
			Old:     filepath.Join(dir, "old"), New: filepath.Join(dir, "new"), Docs: true,
		})
		if err != nil {
			t.Fatalf("%s: %v\n%v\n%.2000s", pair.Name, err, messages, later)
		}
		for _, c := range result.Comparisons {
			for _, one := range c.Changes {
				if one.Severity > finding.None || !how.changes {
					t.Errorf("%s: %s %s: %s\n%s", pair.Name, one.Kind, one.Path, one.Detail(), text)
				}
			}
		}
	}
}

// unordered are the keywords whose lists have no order.
var unordered = []string{"required", "enum", "anyOf", "allOf", "oneOf", "type"}

// backwards formats a file with its members, and lists without an order, in the opposite order.
func backwards(v any, name string) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(v))) {
			parts = append(parts, fmt.Sprintf("%q: %s", name, backwards(v[name], name)))
		}
		return "{\n" + strings.Join(parts, ",\n  ") + "\n}"
	case []any:
		for _, e := range v {
			parts = append(parts, backwards(e, ""))
		}
		if slices.Contains(unordered, name) {
			slices.Reverse(parts)
		}
		return "[ " + strings.Join(parts, " , ") + " ]"
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(text)
}

// everySchema calls do for all schemas of properties, and those within.
func everySchema(v any, do func(schema map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			everySchema(e, do)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			everySchema(v[name], do)
			if name == "properties" {
				for _, property := range v[name].(map[string]any) {
					do(property.(map[string]any))
				}
			}
		}
	}
}

func describe(schema map[string]any) {
	if schema["$ref"] == nil {
		schema["description"], schema["title"] = "It is described in another way.", "Another title"
	}
}

// extend adds an optional property to an object, and a value to an enum.
func extend(schema map[string]any) {
	if members, ok := schema["properties"].(map[string]any); ok && schema["type"] == "object" {
		members["fresh"] = map[string]any{"type": "string"}
	}
	if values, ok := schema["enum"].([]any); ok && schema["type"] == "string" {
		schema["enum"] = append(values, "fresh")
	}
}

// refer moves the schema of a property to the named ones.
func refer(file map[string]any) {
	named, members := widget(file)
	if schema, ok := members["value"].(map[string]any); ok {
		outer := outerOf(schema)
		named["Moved"], outer["$ref"] = schema, "#/components/schemas/Moved"
		members["value"] = outer
	}
}

// conjoin makes the schema of a property the only part of a conjunction.
func conjoin(file map[string]any) {
	_, members := widget(file)
	if schema, ok := members["value"].(map[string]any); ok {
		outer := outerOf(schema)
		outer["allOf"] = []any{schema}
		members["value"] = outer
	}
}

// outerOf moves what a property states of itself out of its schema.
func outerOf(schema map[string]any) map[string]any {
	outer := map[string]any{}
	for _, name := range []string{"description", "default", "deprecated", "nullable", "readOnly", "writeOnly"} {
		if value, ok := schema[name]; ok {
			outer[name] = value
			delete(schema, name)
		}
	}
	return outer
}

// widget returns the named schemas of a document, and the properties of the widget.
func widget(file map[string]any) (named, members map[string]any) {
	named = file["components"].(map[string]any)["schemas"].(map[string]any)
	members, _ = named["Widget"].(map[string]any)["properties"].(map[string]any)
	return named, members
}
