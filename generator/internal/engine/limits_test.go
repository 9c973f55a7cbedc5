package engine_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

const million = 1_000_000

// armWith is a schema of ARM whose resource has some properties, and some definitions.
func armWith(properties, definitions string) map[string]string {
	return map[string]string{"schemas/2020-01-01/a.json": `{"resourceDefinitions": {"orders": {"properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]},
 "properties": {"properties": {` + properties + `}}}}}, "definitions": {` + definitions + `}}`}
}

// crdWith is a definition whose spec has some properties, in YAML.
func crdWith(properties string) map[string]string {
	return map[string]string{"schemas/a.yaml": `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: orders.shop.example.com},
 spec: {group: shop.example.com, names: {kind: Order, plural: orders}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, subresources: {status: {}},
 schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {` + properties + `}}}}}}]}}`}
}

// openapiWith is a document whose resource has some properties, and some definitions.
func openapiWith(properties, definitions string) map[string]string {
	return map[string]string{"schemas/a.yaml": `{swagger: "2.0", info: {version: "2020-01-01"}, paths: {"/providers/Contoso.Shop/orders/{name}": {put: {parameters: [{in: body, schema: {properties: {properties: {properties: {` +
		properties + `}}}}}], responses: {}}}}, definitions: {` + definitions + `}}`}
}

// bicepWith is a file of types whose resource has the first of some types as its properties.
func bicepWith(types string) map[string]string {
	return map[string]string{"schemas/types.json": `[` + types + `, {"$type": "ResourceType", "name": "Contoso.Shop/orders@2020-01-01", "body": {"$ref": "#/0"}}]`}
}

// armBehind returns a resource whose type and version are behind n schemas without keywords.
func armBehind(n int) map[string]string {
	return map[string]string{"schemas/2020-01-01/a.json": `{"resourceDefinitions": {"orders": {"allOf": [` + strings.Repeat(`{}, `, n) +
		`{"allOf": [{"properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]}, "properties": {"properties": {"size": {"type": "string"}}}}}]}]}}}`}
}

// laughs are anchors of YAML each of which names the one before ten times.
func laughs() string {
	b := strings.Builder{}
	b.WriteString("a0: &a0 {type: string}\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

// armNaming is a resource that names so many types and versions.
func armNaming(n int) string {
	var types, versions []string
	for i := range n {
		types = append(types, fmt.Sprintf(`"A.B/t%d"`, i))
		versions = append(versions, fmt.Sprintf(`"%04d-%02d-%02d"`, 2000+i/(12*28), 1+i/28%12, 1+i%28))
	}
	return fmt.Sprintf(`{"resourceDefinitions": {"a": {"properties": {"type": {"enum": [%s]}, "apiVersion": {"enum": [%s]}}}}}`,
		strings.Join(types, ","), strings.Join(versions, ","))
}

// doubling returns definitions that each refer to the next twice.
func doubling(ref string) string {
	var all []string
	for i := range 60 {
		all = append(all, fmt.Sprintf(`"D%d": {"allOf": [{"$ref": "%sD%d"}, {"$ref": "%sD%d"}]}`, i, ref, i+1, ref, i+1))
	}
	return strings.Join(append(all, `"D60": {"properties": {"x": {"type": "string"}}}`), ", ")
}

// TestLimits runs the command on small schemas that would take a naive reader endless time. Each
// run ends: it refuses the schema with a reason, or generates from it.
func TestLimits(t *testing.T) {
	huge := "1" + strings.Repeat("0", 100_000)
	for _, tt := range []struct {
		name, source string
		files        map[string]string
		want         string // in the message; empty if the schema is accepted
	}{
		{"arm: a million objects in one another", "arm", map[string]string{"schemas/a.json": strings.Repeat(`{"a":`, million)}, "more than 200 deep"},
		{"arm: a million lists in one another", "arm", map[string]string{"schemas/a.json": strings.Repeat(`[`, million)}, "more than 200 deep"},
		{"arm: a reference to itself", "arm", armWith(`"size": {"$ref": "#/definitions/A"}`, `"A": {"$ref": "#/definitions/A"}`), "itself"},
		{"arm: references in a circle", "arm", armWith(`"size": {"$ref": "#/definitions/A"}`, `"A": {"allOf": [{"$ref": "#/definitions/B"}]}, "B": {"allOf": [{"$ref": "#/definitions/A"}]}`), "itself"},
		{"arm: references that double", "arm", armWith(`"size": {"$ref": "#/definitions/D0"}`, doubling("#/definitions/")), ""},
		{"arm: a type behind 4,900 schemas", "arm", armBehind(4_900), ""},
		{"arm: a type behind 5,100 schemas", "arm", armBehind(5_100), "more than 5000 schemas"},
		{"arm: many types in many versions", "arm", map[string]string{"schemas/a.json": armNaming(3_000)}, "more than 5000 resource versions"},
		{"arm: members twice", "arm", armWith(`"size": {"type": "string"}, "size": {"type": "integer"}`, ""), "appears twice"},
		{"arm: huge numbers", "arm", armWith(`"size": {"type": "number", "minimum": 1e999999999, "maximum": 1e-999999999, "multipleOf": `+huge+`},
  "count": {"type": "integer", "minimum": -`+huge+`, "maximum": `+huge+`, "default": `+huge+`}, "text": {"type": "string", "minLength": `+huge+`, "maxLength": 1e999}`, ""), ""},
		{"arm: huge values of enums", "arm", armWith(`"size": {"enum": [1e999999999, 2]}, "count": {"type": "integer", "enum": [`+huge+`, 1]}`, ""), ""},
		{"bicep: a million lists in one another", "bicep", map[string]string{"schemas/types.json": strings.Repeat(`[`, million)}, "more than 50 deep"},
		{"bicep: a list of itself", "bicep", bicepWith(`{"$type": "ObjectType", "name": "O", "properties": {"properties": {"type": {"$ref": "#/1"}, "flags": 0}}}, {"$type": "ArrayType", "itemType": {"$ref": "#/1"}}`), "contains itself"},
		{"bicep: members twice", "bicep", map[string]string{"schemas/types.json": `[{"$type": "StringType", "$type": "StringType"}]`}, "appears twice"},
		{"bicep: huge numbers", "bicep", bicepWith(`{"$type": "ObjectType", "name": "O", "properties": {"size": {"type": {"$ref": "#/1"}, "flags": 0}}}, {"$type": "IntegerType", "minValue": -` + huge + `, "maxValue": 1e999999999}`), ""},
		{"crd: a million lists in one another", "crd", map[string]string{"schemas/a.yaml": strings.Repeat(`[`, million)}, "exceeded max depth"},
		{"crd: a million objects of JSON in one another", "crd", map[string]string{"schemas/a.json": strings.Repeat(`{"a":`, million)}, "more than 200 deep"},
		{"crd: lists that indent", "crd", map[string]string{"schemas/a.yaml": strings.Repeat("- ", million)}, "exceeded max depth"},
		{"crd: a billion laughs", "crd", map[string]string{"schemas/a.yaml": laughs()}, "more than 262144 values behind aliases"},
		{"crd: an anchor within itself", "crd", map[string]string{"schemas/a.yaml": "a: &a [*a]\n"}, "nested deeper than 200"},
		{"crd: members twice", "crd", crdWith("size: {type: string}, size: {type: integer}"), "appears twice"},
		{"crd: huge numbers", "crd", crdWith("size: {type: number, minimum: 1e308, maximum: " + huge + "}"), "maximum must be a number"},
		{"openapi: a billion laughs", "openapi", map[string]string{"schemas/a.yaml": laughs()}, "more than 262144 values behind aliases"},
		{"openapi: a million lists in one another", "openapi", map[string]string{"schemas/a.yaml": strings.Repeat(`[`, million)}, "exceeded max depth"},
		{"openapi: a reference to itself", "openapi", openapiWith("size: {$ref: '#/definitions/A'}", "A: {$ref: '#/definitions/A'}"), "itself"},
		{"openapi: references that double", "openapi", openapiWith("size: {$ref: '#/definitions/D0'}", doubling("#/definitions/")), ""},
		{"openapi: huge numbers", "openapi", openapiWith("size: {type: number, minimum: "+huge+", default: 1e308}, count: {type: integer, enum: [1, 2], maximum: "+huge+"}", ""), "minimum must be a number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			for name, body := range tt.files {
				write(t, dir, name, body)
			}
			config := filepath.Join(dir, "strata.yaml")
			write(t, dir, "strata.yaml", strings.Replace(disagreeingConfig, "SOURCE", tt.source+": {root: schemas}", 1))
			code, _, errs := generate(t.Context(), config)
			switch {
			case tt.want == "" && code != cli.Done:
				t.Errorf("exit code %d: %.600s", code, errs)
			case tt.want != "" && (code != cli.Failed || !strings.Contains(errs, tt.want)):
				t.Errorf("exit code %d, want %q: %.600s", code, tt.want, errs)
			}
			if code == cli.Done {
				for name, body := range mustGenerate(t, config) {
					harmless(t, name, body)
				}
			}
		})
	}
}

// TestLimitsOfConfiguration: a configuration is read within limits, too.
func TestLimitsOfConfiguration(t *testing.T) {
	for name, body := range map[string]string{
		"a million lists in one another": strings.Repeat("[", million),
		"a billion laughs":               laughs(),
		"an anchor within itself":        "a: &a [*a]\n",
		"a million keys":                 strings.Repeat("a: 1\n", million),
		"no UTF-8":                       "a: \xff\n",
		"control characters":             "a: \x00\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "strata.yaml", body)
			if code, _, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml")); code != cli.Failed || !strings.Contains(errs, "strata: error: ") {
				t.Errorf("exit code %d: %.600s", code, errs)
			}
		})
	}
}
