package config

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stratakube/strata/generator/internal/finding"
)

// TestSchemaHelpsEditors walks the published schema. Each key and each element has a description,
// which an editor shows. Each text, number and list of them has examples, unless an enum lists all
// values. Examples and defaults are valid. No example is an object: yaml-language-server would
// offer it as "[object Object]".
func TestSchemaHelpsEditors(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	examples := 0
	eachSchema(t, func(pointer string, of map[string]any) {
		isKey := strings.HasSuffix(pointer[:strings.LastIndex(pointer, "/")], "/properties")
		if of["description"] == nil && (isKey || of["$ref"] == nil) {
			t.Errorf("%s has no description", pointer)
		}
		values, _ := of["examples"].([]any)
		if isKey && len(values) == 0 && !isListed(of) && !hasObjects(of) {
			t.Errorf("%s has no examples", pointer)
		}
		if given, found := of["default"]; found {
			values = append(values, given)
		}
		schema, err := compiler.Compile(schemaFile + "#" + pointer)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range values {
			examples++
			if _, isObject := value.(map[string]any); isObject {
				t.Errorf("%s: the example %v is an object", pointer, value)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %v is no example: %v", pointer, value, err)
			}
		}
	})
	if examples < 90 {
		t.Errorf("there are only %d examples and defaults", examples)
	}
}

// isListed reports whether the type or an enum of a schema lists all values.
func isListed(schema map[string]any) bool {
	return schema["type"] == "boolean" || schema["enum"] != nil || schema["const"] != nil || schema["$ref"] == "#/definitions/mode"
}

// hasObjects reports whether the values of a schema are objects, or lists of objects. Their keys
// have the examples.
func hasObjects(schema map[string]any) bool {
	items, _ := schema["items"].(map[string]any)
	return schema["type"] == "object" || items["type"] == "object" || schema["$ref"] == "#/definitions/tree"
}

// TestSchemaListsDecodersWords compares the enums of the published schema with the words that the
// decoder takes.
func TestSchemaListsDecodersWords(t *testing.T) {
	var rules []string
	for _, word := range finding.Words() {
		if r, found := finding.Find(word); found && r.Name == word {
			rules = append(rules, word)
		}
	}
	want := map[string][]string{
		"/apiVersion":                               {APIVersion},
		"/kind":                                     {Kind},
		"/sources/items/go/types":                   {"own", "generated"},
		"/groups/storedBy/additionalProperties":     {ASO},
		"/kinds/additionalProperties/status":        {"add"},
		"/types/items/type":                         TypeNames,
		"/properties/items/configMap":               {"true"},
		"/findings/severities/additionalProperties": finding.SeverityNames(),
		"/install/certificates":                     {string(Self), string(CertManager)},
		"/definitions/mode":                         {string(Auto), string(Custom), string(None)},
		"/definitions/rule":                         rules,
		"/definitions/property/removed":             {"assessed"},
		"/definitions/property/plural":              {"true"},
		"/definitions/property/singular":            {"true"},
	}
	got := map[string][]string{}
	eachSchema(t, func(pointer string, of map[string]any) {
		if all, found := of["anyOf"].([]any); found && of["enum"] == nil {
			of, _ = all[0].(map[string]any)
		}
		words, _ := of["enum"].([]any)
		if one, found := of["const"]; found {
			words = []any{one}
		}
		for _, word := range words {
			name := strings.ReplaceAll(pointer, "/properties/", "/")
			got[name] = append(got[name], fmt.Sprint(word))
		}
	})
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("words (-decoder +schema):\n%s", diff)
	}
}

// eachSchema calls a function for the published schema of each key, element and definition, with
// its JSON pointer.
func eachSchema(t *testing.T, visit func(pointer string, of map[string]any)) {
	t.Helper()
	file, err := os.Open(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	var walk func(string, any)
	walk = func(pointer string, at any) {
		of, isObject := at.(map[string]any)
		if !isObject {
			return // additionalProperties: false
		}
		if pointer != "" {
			visit(pointer, of)
		}
		for _, under := range []string{"properties", "definitions"} {
			members, _ := of[under].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(members)) {
				walk(pointer+"/"+under+"/"+name, members[name])
			}
		}
		for _, name := range []string{"additionalProperties", "items"} {
			walk(pointer+"/"+name, of[name])
		}
	}
	walk("", document)
}
