package engine_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/progress"
)

// compatibleCRD has a property that a pair leaves as it is, and others that a pair changes.
const compatibleCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: stores.shop.example.com}
spec:
  group: shop.example.com
  names: {kind: Store, plural: stores, singular: store, listKind: StoreList, shortNames: [st]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns: [{name: Size, type: string, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            description: The spec.
            type: object
            required: [code, needed]
            properties:
              kept: %s
              code: {type: string, minLength: 2, maxLength: 10, pattern: "^[a-z]+$"}
              needed: {type: integer, minimum: 1, maximum: 9}
              colour: {type: string, enum: [blue, red]}
              parts: {type: array, minItems: 1, maxItems: 4, items: {type: object, required: [name], properties: {name: {type: string}}}}
              rest: {type: object, x-kubernetes-validations: [{rule: "has(self.a)"}], properties: {a: {type: string}}}
`

// steady are the schemas of properties that stay.
var steady = map[string]string{
	"a string":       "{type: string}",
	"an integer":     "{type: integer, format: int32}",
	"a number":       "{type: number, multipleOf: 0.5}",
	"a boolean":      "{type: boolean, default: true}",
	"a date":         "{type: string, format: date-time}",
	"an enum":        "{type: string, enum: [a, b]}",
	"an object":      "{type: object, required: [x], properties: {x: {type: string}, y: {type: integer}}}",
	"a map":          "{type: object, additionalProperties: {type: string}}",
	"a set":          "{type: array, x-kubernetes-list-type: set, items: {type: string}}",
	"a keyed list":   "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [x], items: {type: object, required: [x], properties: {x: {type: string}}}}",
	"a mixed value":  "{x-kubernetes-int-or-string: true}",
	"an open object": "{type: object, x-kubernetes-preserve-unknown-fields: true}",
}

// compatible are edits after which every client goes on as before, by the conventions of
// Kubernetes.
var compatible = map[string][2]string{
	"nothing changes":            {"kept", "kept"},
	"a new property":             {"              colour:", "              fresh: {type: string}\n              colour:"},
	"a new object":               {"              colour:", "              fresh: {type: object, required: [a], properties: {a: {type: string}}}\n              colour:"},
	"a requirement less":         {"[code, needed]", "[code]"},
	"another order":              {"[code, needed]", "[needed, code]"},
	"a shorter text":             {"minLength: 2", "minLength: 1"},
	"a longer text":              {"maxLength: 10", "maxLength: 20"},
	"no pattern":                 {`, pattern: "^[a-z]+$"`, ""},
	"wider bounds":               {"minimum: 1, maximum: 9", "minimum: 0, maximum: 10"},
	"an enum in another order":   {"[blue, red]", "[red, blue]"},
	"a value more":               {"[blue, red]", "[blue, red, green]"},
	"more elements":              {"minItems: 1, maxItems: 4", "maxItems: 8"},
	"an element with more":       {"properties: {name: {type: string}}", "properties: {name: {type: string}, size: {type: integer}}"},
	"an element with less":       {"items: {type: object, required: [name],", "items: {type: object,"},
	"a rule less":                {`x-kubernetes-validations: [{rule: "has(self.a)"}], `, ""},
	"a text for people":          {"description: The spec.", "description: The spec of a store."},
	"a short name more":          {"[st]", "[st, shop]"},
	"a category":                 {"shortNames: [st]", "shortNames: [st], categories: [all]"},
	"another column":             {"name: Size", "name: Sizes"},
	"a label of the CRD":         {"metadata: {", "metadata: {labels: {a: b}, "},
	"a null":                     {"colour: {type: string", "colour: {nullable: true, type: string"},
	"a field that can be chosen": {"    schema:", "    selectableFields: [{jsonPath: .spec.code}]\n    schema:"},
	"a scale subresource":        {"{status: {}}", "{status: {}, scale: {specReplicasPath: .spec.needed, statusReplicasPath: .status.replicas}}"},
	"a deprecated version":       {"    served: true", "    served: true\n    deprecated: true"},
}

// irreversible are the edits whose undoing breaks clients.
var irreversible = []string{
	"a new property", "a new object", "a requirement less", "a shorter text", "a longer text", "no pattern", "wider bounds", "a value more",
	"more elements", "an element with more", "an element with less", "a rule less", "a short name more", "a category", "a null",
	"a field that can be chosen", "a scale subresource",
}

// TestCompatibleEdits checks that nothing breaks in pairs of schemas whose difference breaks no
// client. Undoing such an edit is found where it breaks some.
func TestCompatibleEdits(t *testing.T) {
	pairs := 0
	for property, schema := range steady {
		for name, edit := range compatible {
			old := fmt.Sprintf(compatibleCRD, schema)
			later := strings.Replace(old, edit[0], edit[1], 1)
			if later == old && edit[0] != edit[1] {
				t.Fatalf("%s: the schema has no %q", name, edit[0])
			}
			dir := t.TempDir()
			for folder, text := range map[string]string{"old": old, "new": later} {
				if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
					t.Fatal(err)
				}
				writeText(t, filepath.Join(dir, folder, "stores.yaml"), text)
			}
			pairs++
			for _, found := range breaking(t, filepath.Join(dir, "old"), filepath.Join(dir, "new")) {
				t.Errorf("%s, beside %s: %s", name, property, found)
			}
			back := breaking(t, filepath.Join(dir, "new"), filepath.Join(dir, "old"))
			if breaks := slices.Contains(irreversible, name); breaks != (len(back) > 0) {
				t.Errorf("%s, beside %s: undoing it breaks %q", name, property, back)
			}
		}
	}
	if pairs < 100 {
		t.Errorf("%d pairs, want at least 100", pairs)
	}
}

// breaking returns the changes between two folders that break anything.
func breaking(t *testing.T, old, later string) (out []string) {
	t.Helper()
	messages := new(diag.List)
	result, err := engine.Engine{}.Diff(t.Context(), engine.DiffRequest{
		Request: engine.Request{Messages: messages, Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false)},
		Old:     old, New: later,
	})
	if err != nil {
		t.Fatalf("%v\n%v", err, messages)
	}
	for _, c := range result.Comparisons {
		for _, one := range c.Changes {
			if one.Severity != finding.None {
				out = append(out, fmt.Sprintf("%s %s breaks %s", one.Kind.Rule().ID, one.Path, one.Severity))
			}
		}
	}
	return out
}
