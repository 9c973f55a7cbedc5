package strata_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// disagreements are, by the source of a configuration, two files that declare the same version of a resource and give
// a property different types; and where one is spelled as its Go field then.
var disagreements = map[string]map[string]string{
	"arm: {root: schemas}": {
		"schemas/2020-01-01/a.json": `{"resourceDefinitions": {"orders": {"properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]},
  "properties": {"properties": {"size": {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}}}}}}}}`,
		"schemas/2020-01-01/b.json": `{"resourceDefinitions": {"orders": {"properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]},
  "properties": {"properties": {"size": {"type": "string"}, "list": {"type": "array", "items": {"type": "integer"}}}}}}}}`,
	},
	"bicep: {root: schemas}": {
		"schemas/a/types.json": `[{"$type": "StringType"}, {"$type": "IntegerType"},
 {"$type": "ArrayType", "itemType": {"$ref": "#/0"}}, {"$type": "ObjectType", "name": "P", "properties": {"size": {"type": {"$ref": "#/1"}, "flags": 0}, "list": {"type": {"$ref": "#/2"}, "flags": 0}}},
 {"$type": "ObjectType", "name": "O", "properties": {"properties": {"type": {"$ref": "#/3"}, "flags": 0}}},
 {"$type": "ResourceType", "name": "Contoso.Shop/orders@2020-01-01", "body": {"$ref": "#/4"}}]`,
		"schemas/b/types.json": `[{"$type": "StringType"}, {"$type": "IntegerType"},
 {"$type": "ArrayType", "itemType": {"$ref": "#/1"}}, {"$type": "ObjectType", "name": "P", "properties": {"size": {"type": {"$ref": "#/0"}, "flags": 0}, "list": {"type": {"$ref": "#/2"}, "flags": 0}}},
 {"$type": "ObjectType", "name": "O", "properties": {"properties": {"type": {"$ref": "#/3"}, "flags": 0}}},
 {"$type": "ResourceType", "name": "Contoso.Shop/orders@2020-01-01", "body": {"$ref": "#/4"}}]`,
	},
	"openapi: {root: schemas}": {
		"schemas/a.json": `{"swagger": "2.0", "info": {"version": "2020-01-01"}, "paths": {"/providers/Contoso.Shop/orders/{name}": {"put": {"parameters": [{"in": "body", "schema":
  {"properties": {"properties": {"properties": {"size": {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}}}}}}}], "responses": {}}}}}`,
		"schemas/b.json": `{"swagger": "2.0", "info": {"version": "2020-01-01"}, "paths": {"/providers/Contoso.Shop/orders/{name}": {"put": {"parameters": [{"in": "body", "schema":
  {"properties": {"properties": {"properties": {"size": {"type": "string"}, "list": {"type": "array", "items": {"type": "integer"}}}}}}}], "responses": {}}}}}`,
	},
}

const disagreeingConfig = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources:
  - SOURCE
output: {dir: api, module: example.com/shop/api}
groups: {suffix: example.com}
`

// toPaste is the block of lines that a message says to paste.
var toPaste = regexp.MustCompile(`(?m)^strata: hint: .*:\n((?:types:|  - ).*\n(?:  - .*\n)*)`)

// TestDisagreementsAreSettled pastes what the error says, as it stands, and runs again; then with each of the types that
// the line offers.
func TestDisagreementsAreSettled(t *testing.T) {
	for source, files := range disagreements {
		t.Run(source[:strings.Index(source, ":")], func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			for name, body := range files {
				write(t, dir, name, body)
			}
			config := filepath.Join(dir, "strata.yaml")
			before := strings.Replace(disagreeingConfig, "SOURCE", source, 1)
			write(t, dir, "strata.yaml", before)
			code, _, errs := generate(t.Context(), config)
			found := toPaste.FindStringSubmatch(errs)
			if code != cli.Failed || found == nil || !strings.Contains(errs, "properties.size: the declarations disagree: int against string") {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			lines := found[1]
			for name, types := range map[string][2]string{
				"as it stands": {"*int64", "[]string"}, "string": {"*string", "[]string"}, "any": {"runtime.JSON", "[]runtime.JSON"},
			} {
				chosen := lines
				if name != "as it stands" {
					chosen = strings.Replace(chosen, "property: properties.size, type: int", "property: properties.size, type: "+name, 1)
				}
				if name == "any" {
					chosen = strings.Replace(chosen, "type: string}", "type: any}", 1)
				}
				settled(t, dir, before+chosen, types)
			}
		})
	}
}

// settled generates anew, and wants two fields to have types; then again, with the ledger.
func settled(t *testing.T, dir, config string, types [2]string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "api")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "strata.yaml", config)
	got := mustGenerate(t, filepath.Join(dir, "strata.yaml"))["contoso-shop/v20200101/order_types.go"]
	for i, field := range []string{"Size", "List"} {
		if !regexp.MustCompile(`\t` + field + ` ` + regexp.QuoteMeta(types[i]) + ` `).MatchString(got) {
			t.Errorf("%s is not %s with\n%s\nin\n%s", field, types[i], config, got)
		}
	}
	if code, _, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"), "--check"); code != cli.Done {
		t.Errorf("a second run: exit code %d, %s", code, errs)
	}
}

const orderCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Order, plural: orders}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      size: {type: TYPE}, list: {type: array, items: {type: TYPE}}}}}}}
`

// TestDisagreementsOfCRDsAreSettled pastes what the error says of two sources of CRDs that define a version differently.
func TestDisagreementsOfCRDsAreSettled(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	write(t, dir, "a/order.yaml", strings.ReplaceAll(orderCRD, "TYPE", "integer"))
	write(t, dir, "b/order.yaml", strings.ReplaceAll(orderCRD, "TYPE", "string"))
	config := strings.Replace(disagreeingConfig, "- SOURCE", "- crd: {root: a}\n  - crd: {root: b}", 1)
	config = strings.Replace(config, "groups: {suffix: example.com}\n", "", 1)
	write(t, dir, "strata.yaml", config)
	code, _, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
	found := toPaste.FindStringSubmatch(errs)
	if code != cli.Failed || found == nil || strings.Count(errs, "the declarations disagree: int against string") != 2 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for name, want := range map[string]string{"int": "int64", "string": "string", "any": "runtime.JSON"} {
		if err := os.RemoveAll(filepath.Join(dir, "api")); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "strata.yaml", config+strings.ReplaceAll(found[1], "type: int}", "type: "+name+"}"))
		got := mustGenerate(t, filepath.Join(dir, "strata.yaml"))["shop-example-com/v1/order_types.go"]
		if !strings.Contains(got, "\tList []"+want+" ") || name != "any" && !strings.Contains(got, "\tSize *"+want+" ") {
			t.Errorf("with %s:\n%s", name, got)
		}
	}
}

// TestDisagreementsOfSeveralResources reports all of a resource and its child at once, in one block to paste.
func TestDisagreementsOfSeveralResources(t *testing.T) {
	const schema = `{"resourceDefinitions": {"orders": {"properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]}, "name": {"type": "string"},
  "properties": {"properties": {"base": {"$ref": "#/definitions/Base"}}}}},
 "orders_lines": {"properties": {"type": {"enum": ["Contoso.Shop/orders/lines"]}, "apiVersion": {"enum": ["2020-01-01"]}, "name": {"type": "string"},
  "properties": {"properties": {"disk": {"allOf": [{"$ref": "#/definitions/Base"}, {"properties": {"more": {"type": "TYPE"}}}]}}}}}},
 "definitions": {"Base": {"properties": {"diskSizeGB": {"type": "TYPE"}}}}}`
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	write(t, dir, "schemas/2020-01-01/a.json", strings.ReplaceAll(schema, "TYPE", "integer"))
	write(t, dir, "schemas/2020-01-01/b.json", strings.ReplaceAll(schema, "TYPE", "string"))
	config := strings.Replace(disagreeingConfig, "SOURCE", "arm: {root: schemas}", 1)
	write(t, dir, "strata.yaml", config)
	code, _, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
	found := toPaste.FindStringSubmatch(errs)
	if code != cli.Failed || found == nil || strings.Count(found[1], "\n  - ") != 3 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	write(t, dir, "strata.yaml", config+found[1])
	mustGenerate(t, filepath.Join(dir, "strata.yaml"))
}
