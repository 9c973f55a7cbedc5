package openapi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/source/jsonschema"
)

// TestFamiliesAreNotCut reads a family that has as many members as are allowed, and one more.
func TestFamiliesAreNotCut(t *testing.T) {
	for _, heirs := range []int{jsonschema.MaxFamily, jsonschema.MaxFamily + 1} {
		var document strings.Builder
		document.WriteString(`openapi: 3.1.0
info: {version: v1}
x-strata-resource: {group: Acme}
paths:
  /beds/{bed}:
    get: {}
    put: {requestBody: {content: {application/json: {schema: {properties: {plant: {$ref: "#/components/schemas/Plant"}}}}}}}
components:
  schemas:
    Plant: {discriminator: {propertyName: kind}, properties: {kind: {type: string}}}
`)
		for i := range heirs {
			fmt.Fprintf(&document, "    P%d: {allOf: [{$ref: '#/components/schemas/Plant'}], properties: {p%d: {type: string}}}\n", i, i)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(document.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		result, err := Read(context.Background(), Options{Root: dir})
		if err != nil {
			t.Fatal(err)
		}
		if heirs <= jsonschema.MaxFamily {
			if len(result.Broken) > 0 {
				t.Errorf("%d schemas inherit from one: %+v", heirs, result.Broken)
			}
			continue
		}
		if len(result.Broken) != 1 || len(result.Broken[0].Messages) != 1 {
			t.Fatalf("%d schemas inherit from one: %+v", heirs, result.Broken)
		}
		m := result.Broken[0].Messages[0]
		if m.Text != "more than 2000 schemas inherit from Plant" || m.Hint == "" || filepath.Base(m.Pos.File) != "a.yaml" || m.Pos.Path != "/components/schemas/Plant" {
			t.Errorf("%d schemas inherit from one: %+v", heirs, m)
		}
	}
}
