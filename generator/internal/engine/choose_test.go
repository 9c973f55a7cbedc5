package engine_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// disagreements are, by the source of a configuration, two files that declare the same version of a
// resource and give a property different types; and where one is spelled as its Go field then.
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

// toPaste matches the block of lines that a message proposes.
var toPaste = regexp.MustCompile(`(?m)^strata: hint: .*:\n((?:types:|  - ).*\n(?:  - .*\n)*)`)

// A begun is a project whose first run is over.
type begun struct {
	dir, config string // its folder, and the text of its strata.yaml
	code        int
	errs        string
	lines       string // what a message says to paste, empty if none does
}

// begin runs a project for each source of a configuration, with the files of that.
func begin(t *testing.T, sources map[string]map[string]string, then func(t *testing.T, p begun)) {
	for source, files := range sources {
		t.Run(source[:strings.Index(source, ":")], func(t *testing.T) {
			p := begun{dir: t.TempDir(), config: strings.Replace(disagreeingConfig, "SOURCE", source, 1)}
			t.Setenv("XDG_CACHE_HOME", filepath.Join(p.dir, "cache"))
			for name, body := range files {
				write(t, p.dir, name, body)
			}
			write(t, p.dir, "strata.yaml", p.config)
			p.code, _, p.errs = generate(t.Context(), filepath.Join(p.dir, "strata.yaml"))
			if found := toPaste.FindStringSubmatch(p.errs); found != nil {
				p.lines = found[1]
			}
			then(t, p)
		})
	}
}

// wantsTypes generates anew with more lines of strata.yaml, and wants two fields to have types.
// Then it does the same again, with the ledger.
func (p begun) wantsTypes(t *testing.T, lines string, fields, types [2]string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(p.dir, "api")); err != nil {
		t.Fatal(err)
	}
	write(t, p.dir, "strata.yaml", p.config+lines)
	got := mustGenerate(t, filepath.Join(p.dir, "strata.yaml"))["contoso-shop/v20200101/order_types.go"]
	for i, field := range fields {
		if !regexp.MustCompile(`\t` + field + ` +` + regexp.QuoteMeta(types[i]) + ` `).MatchString(got) {
			t.Errorf("%s is not %s with\n%s\nin\n%s", field, types[i], lines, got)
		}
	}
	if code, _, errs := generate(t.Context(), filepath.Join(p.dir, "strata.yaml"), "--check"); code != cli.Done || strings.Contains(errs, "is free JSON") {
		t.Errorf("a second run: exit code %d, %s", code, errs)
	}
}

// TestChosenTypesResolveDisagreements pastes the lines that the error proposes, unchanged, and
// runs again; then with each of the types that the line offers.
func TestChosenTypesResolveDisagreements(t *testing.T) {
	begin(t, disagreements, func(t *testing.T, p begun) {
		if p.code != cli.Failed || p.lines == "" || !strings.Contains(p.errs, "properties.size: the declarations disagree: int against string") {
			t.Fatalf("exit code %d: %s", p.code, p.errs)
		}
		for name, types := range map[string][2]string{
			"as it stands": {"*int64", "[]string"}, "string": {"*string", "[]string"}, "any": {"runtime.JSON", "[]runtime.JSON"},
		} {
			chosen := p.lines
			if name != "as it stands" {
				chosen = strings.Replace(chosen, "property: properties.size, type: int", "property: properties.size, type: "+name, 1)
			}
			if name == "any" {
				chosen = strings.Replace(chosen, "type: string}", "type: any}", 1)
			}
			p.wantsTypes(t, chosen, [2]string{"Size", "List"}, types)
		}
	})
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

// TestChosenTypesResolveDisagreementsOfKubernetes pastes the proposed lines for sources of
// Kubernetes types: two files of one source of CRDs, two sources of them, and two Go packages.
func TestChosenTypesResolveDisagreementsOfKubernetes(t *testing.T) {
	long(t)
	for name, sources := range map[string]string{
		"files of CRDs":                 "- crd: {root: crds}",
		"sources of CRDs":               "- crd: {root: crds/a}\n  - crd: {root: crds/b}",
		"Go packages":                   "- go: {packages: [\"./a\", \"./b\"]}",
		"Go sources":                    "- go: {packages: [\"./a\"]}\n  - go: {packages: [\"./b\"]}",
		"Go packages that are versions": "- go: {packages: [\"./one/v1\", \"./two/v1\"], types: generated}",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			t.Setenv("GOWORK", "off")
			t.Setenv("GOFLAGS", "-mod=mod")
			write(t, dir, "go.mod", "module example.com/shop\n\ngo 1.26\n")
			for folder, types := range map[string][2]string{"a": {"integer", "int64"}, "b": {"string", "string"}} {
				write(t, dir, "crds/"+folder+"/order.yaml", strings.ReplaceAll(orderCRD, "TYPE", types[0]))
				write(t, dir, folder+"/order.go", strings.ReplaceAll(orderGo, "TYPE", types[1]))
			}
			for folder, typ := range map[string]string{"one": "int64", "two": "string"} {
				versioned := strings.Replace(orderGo, "// +strata:version:name=v1\npackage shop", "package v1", 1)
				write(t, dir, folder+"/v1/order.go", strings.ReplaceAll(versioned, "TYPE", typ))
			}
			config := strings.Replace(disagreeingConfig, "- SOURCE", sources, 1)
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
				files := mustGenerate(t, filepath.Join(dir, "strata.yaml"))
				got := files["shop-example-com/v1/order_types.go"]
				if !strings.Contains(got, "\tList []"+want+" ") || name != "any" && !strings.Contains(got, "\tSize *"+want+" ") {
					t.Errorf("with %s:\n%s", name, got)
				}
				if strings.Contains(files["reports/shop-example-com/crd-differences.md"], "fault of Strata") {
					t.Errorf("with %s:\n%s", name, files["reports/shop-example-com/crd-differences.md"])
				}
			}
		})
	}
}

const orderGo = `// +groupName=shop.example.com
// +strata:version:name=v1
package shop

// +strata:resource:kind=Order
type OrderSpec struct {
	Size TYPE   ` + "`json:\"size,omitempty\"`" + `
	List []TYPE ` + "`json:\"list,omitempty\"`" + `
}
`

// TestRequirementsOfCRDsThatDiffer notes where two files of CRDs require different things of one
// property, and which of them counts for the version as a whole.
func TestRequirementsOfCRDsThatDiffer(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	same := strings.ReplaceAll(orderCRD, "TYPE", "string")
	write(t, dir, "crds/a.yaml", strings.Replace(same, "list: {type: array,", "list: {type: array, x-kubernetes-list-type: set,", 1))
	write(t, dir, "crds/b.yaml", strings.Replace(strings.Replace(same, "size: {type: string}", "size: {type: string, maxLength: 3}", 1), "served: true", "served: true\n    deprecated: true", 1))
	config := strings.Replace(disagreeingConfig, "- SOURCE", "- crd: {root: crds}", 1)
	write(t, dir, "strata.yaml", strings.Replace(config, "groups: {suffix: example.com}\n", "", 1))
	code, _, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
	for _, want := range []string{
		"orders v1 is defined in another way in a.yaml: it has the properties of both, and members of the version itself, such as served, are those of that file",
		"size: the declarations require different things of it, and only what they agree on counts", "list: the declarations require different things of it",
	} {
		if code != cli.Done || !strings.Contains(errs, want) {
			t.Errorf("exit code %d, without %q: %s", code, want, errs)
		}
	}
}

// clashing are, by the source of a configuration, files with properties that cannot be merged:
// size, of which the branches of a union are a text and a list, and parts that a conjunction
// requires at once.
var clashing = map[string]map[string]string{
	"arm: {root: schemas}": {"schemas/2020-01-01/a.json": `{"resourceDefinitions": {"orders": {"properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]},
  "properties": {"properties": {"size": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
   "parts": {"allOf": [{"$ref": "#/definitions/Text"}, {"$ref": "#/definitions/Count"}]}}}}}}, "definitions": {"Text": {"type": "string"}, "Count": {"type": "integer"}}}`},
	"bicep: {root: schemas}": {"schemas/a/types.json": `[{"$type": "StringType"}, {"$type": "IntegerType"}, {"$type": "ArrayType", "itemType": {"$ref": "#/0"}},
 {"$type": "UnionType", "elements": [{"$ref": "#/0"}, {"$ref": "#/2"}]}, {"$type": "UnionType", "elements": [{"$ref": "#/0"}, {"$ref": "#/1"}]},
 {"$type": "ObjectType", "name": "P", "properties": {"size": {"type": {"$ref": "#/3"}, "flags": 0}, "parts": {"type": {"$ref": "#/4"}, "flags": 0}}},
 {"$type": "ObjectType", "name": "O", "properties": {"properties": {"type": {"$ref": "#/5"}, "flags": 0}}},
 {"$type": "ResourceType", "name": "Contoso.Shop/orders@2020-01-01", "body": {"$ref": "#/6"}}]`},
	"openapi: {root: schemas}": {"schemas/a.json": `{"swagger": "2.0", "info": {"version": "2020-01-01"}, "paths": {"/providers/Contoso.Shop/orders/{name}": {"put": {"parameters": [{"in": "body", "schema":
  {"properties": {"properties": {"properties": {"size": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
   "parts": {"allOf": [{"type": "string"}, {"type": "integer"}]}}}}}}], "responses": {}}}}}`},
}

// TestClashesAreNoted pastes the lines of the note about properties that are free JSON, and gives
// them types. The run notes no clash that the ledger has already.
func TestClashesAreNoted(t *testing.T) {
	begin(t, clashing, func(t *testing.T, p begun) {
		if p.code != cli.Done || p.lines == "" || strings.Count(p.errs, " properties.size is free JSON: ")+strings.Count(p.errs, " properties.parts is free JSON: ") != 2 {
			t.Fatalf("exit code %d: %s", p.code, p.errs)
		}
		for name, types := range map[string][2]string{
			"any": {"runtime.JSON", "runtime.JSON"}, "string": {"*string", "*string"}, "list": {"[]string", "runtime.JSON"}, "int": {"runtime.JSON", "*int64"},
		} {
			chosen := ""
			for line := range strings.Lines(p.lines) {
				if strings.HasPrefix(line, "types:") || strings.Contains(line, name) {
					chosen += strings.Replace(line, "type: any}", "type: "+name+"}", 1)
				}
			}
			p.wantsTypes(t, chosen, [2]string{"Size", "Parts"}, types)
		}
	})
}

// TestTypesAreChosenOnce changes and removes the type of a property after its version was
// generated. The error names the entry, or has the missing line. Pasting it restores the run.
func TestTypesAreChosenOnce(t *testing.T) {
	const line = "types:\n  - {resource: Contoso.Shop/orders, version: \"2020-01-01\", property: properties.size, type: TYPE}\n"
	begin(t, clashing, func(t *testing.T, p begun) {
		config := filepath.Join(p.dir, "strata.yaml")
		for _, tt := range []struct{ before, after, want string }{
			{"any", "string", "strata.yaml:8:93: types[0].type: Contoso.Shop/orders 2020-01-01: properties.size is to be string, but the ledger has it as any, and objects may be stored so"},
			{"string", "list", "properties.size is to be list, but the ledger has it as string, and objects may be stored so"},
			{"", "list", "properties.size is to be list, but the ledger has it as any, and objects may be stored so"},
			{"list", "", "hint: a type that was chosen once stays chosen: give the choice back with this line at the end of strata.yaml:"},
			{"string", "any", "properties.size is to be any, but the ledger has it as string"},
		} {
			with := func(chosen string) string {
				if chosen == "" {
					return p.config
				}
				return p.config + strings.Replace(line, "TYPE", chosen, 1)
			}
			if err := os.RemoveAll(filepath.Join(p.dir, "api")); err != nil {
				t.Fatal(err)
			}
			write(t, p.dir, "strata.yaml", with(tt.before))
			before := mustGenerate(t, config)
			write(t, p.dir, "strata.yaml", with(tt.after))
			code, _, errs := generate(t.Context(), config)
			found := toPaste.FindStringSubmatch(errs)
			if code != cli.Failed || !strings.Contains(errs, tt.want) || found == nil {
				t.Fatalf("%q after %q: exit code %d: %s", tt.after, tt.before, code, errs)
			}
			if strings.Count(errs, "but the ledger has it as") != 1 {
				t.Errorf("%q after %q: more than one error: %s", tt.after, tt.before, errs)
			}
			write(t, p.dir, "strata.yaml", p.config+"types:\n"+strings.TrimPrefix(found[1], "types:\n"))
			if after := mustGenerate(t, config); len(differing(before, after)) > 0 {
				t.Errorf("%q after %q, pasted\n%s, changes %q", tt.after, tt.before, found[1], differing(before, after))
			}
			write(t, p.dir, "strata.yaml", with(tt.after))
			if code, _, errs := generate(t.Context(), config, "--lenient"); code != cli.Done || !strings.Contains(errs, "the version is generated as the ledger has it") {
				t.Errorf("%q after %q, lenient: exit code %d: %s", tt.after, tt.before, code, errs)
			}
		}
	})
}

// TestDisagreementsOfSeveralResources reports all of a resource and its child at once, in one block
// to paste.
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
