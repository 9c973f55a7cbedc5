package engine_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// hostileTexts are texts that could be read as something else: directives, markers, declarations,
// markup, templates, documents, or terminal commands.
var hostileTexts = []string{
	"x\n//go:generate touch pwned\n//go:build ignore\nfunc Evil() {}\n",
	"x\r//line evil.go:1\r//export Evil\r// +build ignore\r\n//nolint",
	"//go:embed secrets\u0085//nolint:all\u2028+kubebuilder:object:root=true\u2029+k8s:deepcopy-gen=package",
	"+optional\n+required\n+kubebuilder:validation:Enum=a;b\n+genclient",
	"go:generate touch pwned",
	"nolint:all", "lint:ignore all evil", "line evil.go:1", "export Evil", "#cgo LDFLAGS: -levil\nimport \"C\"",
	"*/ func Evil() {} /*",
	"`+Evil()+`\" + Evil() + \"\\\n",
	"{{ .Values.evil }}{{- range }}{{`{{`}}",
	"a | b |\n| c | d\n<script>alert(1)</script> [x](javascript:y) https://evil.example www.evil.example ```\n# Title\n```",
	"\x1b[2J\x1b]0;evil\a\u202egnp.exe\u2066\ufeff\x00\x7f\u009b31m\U000e0041",
	"- evil: &a [*a]\n---\nevil: true\n...\n: ? ! % @ # x",
	strings.Repeat("x ", 57) + "+optional " + strings.Repeat("y ", 58) + "go:generate " + strings.Repeat("z ", 57) + "line x.go:1",
	"%s%n%!d(MISSING)", `\u000a//go:generate x`, "Deprecated: evil", "../../../../evil", "C:\\evil", "con",
}

// hostileFront is a front end with schemas that have a text at many positions.
type hostileFront struct {
	name   string
	source string // as strata.yaml names it
	// files returns schemas with texts in certain positions. at returns the text or name for a
	// position.
	files func(at func(position string) string) map[string]string
	names map[string]string // positions of names, and what stands there otherwise
	// write writes files in place of source and files, where that is more than schemas. It returns
	// what strata.yaml has.
	write func(t *testing.T, dir, text, position, name string) (config string)
}

// quoted is a text as JSON.
func quoted(text string) string {
	body, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(body)
}

var hostileFronts = []hostileFront{
	{
		name: "arm", source: "arm: {root: schemas}",
		names: map[string]string{
			"type": "Contoso.Shop/orders", "version": "2010-01-01", "property": "size", "entry": "orders", "folder": "2010-01-01", "file": "Contoso.Shop",
			"definition": "Side", "discriminator": "kind", "branch": "left", "undeclared": "missing",
		},
		files: func(at func(string) string) map[string]string {
			return map[string]string{
				"schemas/" + at("folder") + "/" + at("file") + ".json": `{"title": ` + quoted(at("")) + `, "resourceDefinitions": {` + quoted(at("entry")) + `: {"description": ` + quoted(at("")) + `,
  "properties": {"type": {"enum": [` + quoted(at("type")) + `]}, "apiVersion": {"enum": [` + quoted(at("version")) + `]}, "properties": {"$ref": "#/definitions/Order"}}}},
 "definitions": {` + quoted(at("definition")) + `: {"title": ` + quoted(at("")) + `, "properties": {"a": {"type": "array", "items": {"type": "string", "enum": [` + quoted("x"+at("")) + `]}, "default": [` + quoted(at("")) + `]}}},
 "Order": {"description": ` + quoted(at("")) + `, "required": ["mode", ` + quoted(at("undeclared")) + `], "properties": {
  "side": {"$ref": ` + quoted("#/definitions/"+pointerOf(at("definition"))) + `, "$comment": ` + quoted(at("")) + `},
  "either": {"oneOf": [{"properties": {` + quoted(at("discriminator")) + `: {"enum": [` + quoted(at("branch")) + `]}, "l": {"type": "object", "default": {"a": ` + quoted(at("")) + `}}}}, {"properties": {` + quoted(at("discriminator")) + `: {"enum": ["right"]}, "r": {"type": "string"}}}]},
  ` + quoted(at("property")) + `: {"type": "string", "description": ` + quoted(at("")) + `, "pattern": ` + quoted(at("")) + `, "format": ` + quoted(at("")) + `, "default": ` + quoted(at("")) + `},
  "mode": {"enum": [` + quoted("a"+at("")) + `, "b"], "description": ` + quoted(at("")) + `, "default": ` + quoted(at("")) + `},
  "odd": {"oneOf": [{"type": "string"}, {"type": "array"}], "description": ` + quoted(at("")) + `}, "gone": {"type": "string", "description": ` + quoted(at("")) + `}}}}}`,
				"schemas/2011-01-01/later.json": `{"resourceDefinitions": {"orders": {
  "properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2011-01-01"]}, "properties": {"$ref": "#/definitions/Order"}}}},
 "definitions": {"Order": {"properties": {"size": {"type": "string"}}}}}`,
			}
		},
	},
	{
		name: "bicep", source: "bicep: {root: schemas}",
		names: map[string]string{"type": "Contoso.Shop/orders", "version": "2010-01-01", "property": "size", "folder": "2010-01-01", "discriminator": "kind", "branch": "left"},
		files: func(at func(string) string) map[string]string {
			return map[string]string{"schemas/contoso.shop/" + at("folder") + "/types.json": `[
 {"$type": "StringType", "pattern": ` + quoted(at("")) + `}, {"$type": "StringLiteralType", "value": ` + quoted("a"+at("")) + `}, {"$type": "StringLiteralType", "value": "b"},
 {"$type": "UnionType", "elements": [{"$ref": "#/1"}, {"$ref": "#/2"}]},
 {"$type": "ObjectType", "name": ` + quoted("Order"+at("")) + `, "properties": {
  ` + quoted(at("property")) + `: {"type": {"$ref": "#/0"}, "flags": 0, "description": ` + quoted(at("")) + `}, "mode": {"type": {"$ref": "#/3"}, "flags": 1, "description": ` + quoted(at("")) + `},
  "either": {"type": {"$ref": "#/9"}, "flags": 0}}},
 {"$type": "ObjectType", "name": "Contoso.Shop/orders", "properties": {"properties": {"type": {"$ref": "#/4"}, "flags": 1, "description": ` + quoted(at("")) + `}}},
 {"$type": "ResourceType", "name": ` + quoted(at("type")+"@"+at("version")) + `, "body": {"$ref": "#/5"}, "readableScopes": 8, "writableScopes": 8},
 {"$type": "StringLiteralType", "value": ` + quoted(at("branch")) + `}, {"$type": "ObjectType", "name": ` + quoted("Left"+at("")) + `, "properties": {
  ` + quoted(at("discriminator")) + `: {"type": {"$ref": "#/7"}, "flags": 1}, "l": {"type": {"$ref": "#/0"}, "flags": 0}}},
 {"$type": "DiscriminatedObjectType", "name": ` + quoted("Either"+at("")) + `, "discriminator": ` + quoted(at("discriminator")) + `, "baseProperties": {}, "elements": {` + quoted(at("branch")) + `: {"$ref": "#/8"}}}]`}
		},
	},
	{
		name: "openapi", source: "openapi: {root: schemas}",
		names: map[string]string{"group": "Contoso.Shop", "type": "orders", "version": "2010-01-01", "property": "size", "file": "shop", "definition": "Side", "discriminator": "kind", "parameter": "orderName"},
		files: func(at func(string) string) map[string]string {
			path := quoted("/subscriptions/{s}/resourceGroups/{g}/providers/" + at("group") + "/" + at("type") + "/{" + at("parameter") + "}")
			return map[string]string{"schemas/" + at("file") + ".json": `{"swagger": "2.0", "info": {"title": ` + quoted(at("")) + `, "description": ` + quoted(at("")) + `, "version": ` + quoted(at("version")) + `, "contact": {"name": ` + quoted(at("")) + `, "url": ` + quoted(at("")) + `}}, "host": ` + quoted(at("")) + `, "basePath": ` + quoted(at("")) + `,
 "paths": {` + path + `: {"put": {"description": ` + quoted(at("")) + `, "operationId": ` + quoted(at("")) + `, "tags": [` + quoted(at("")) + `], "externalDocs": {"url": ` + quoted(at("")) + `}, "parameters": [{"name": ` + quoted(at("parameter")) + `, "in": "path", "type": "string", "pattern": ` + quoted(at("")) + `},
  {"name": "o", "in": "body", "schema": {"$ref": "#/definitions/Order"}}], "responses": {"200": {"description": ` + quoted(at("")) + `, "schema": {"$ref": "#/definitions/Order"}}}}}},
 "definitions": {` + quoted(at("definition")) + `: {"title": ` + quoted(at("")) + `, "discriminator": ` + quoted(at("discriminator")) + `, "required": [` + quoted(at("discriminator")) + `], "properties": {` + quoted(at("discriminator")) + `: {"type": "string"}}},
 "Order": {"description": ` + quoted(at("")) + `, "properties": {"properties": {"description": ` + quoted(at("")) + `, "properties": {
  ` + quoted(at("property")) + `: {"type": "string", "description": ` + quoted(at("")) + `, "pattern": ` + quoted(at("")) + `, "default": ` + quoted(at("")) + `},
  "side": {"$ref": ` + quoted("#/definitions/"+pointerOf(at("definition"))) + `},
  "mode": {"type": "string", "enum": [` + quoted("a"+at("")) + `, "b"], "x-ms-enum": {"name": ` + quoted(at("")) + `, "values": [{"value": ` + quoted("a"+at("")) + `, "name": ` + quoted(at("")) + `, "description": ` + quoted(at("")) + `}]}, "x-ms-client-name": ` + quoted(at("")) + `, "description": ` + quoted(at("")) + `}, "state": {"type": "string", "readOnly": true, "description": ` + quoted(at("")) + `}}}}}}}`}
		},
	},
	{
		name: "crd", source: "crd: {root: schemas, include: [\"*.json\"]}",
		names: map[string]string{"group": "shop.example.com", "kind": "Order", "plural": "orders", "version": "v1", "property": "size", "file": "orders", "short": "or", "column": "Size",
			"singular": "order", "list": "OrderList", "category": "shop", "label": "app", "annotation": "note", "path": ".spec.mode", "key": "name",
		},
		files: func(at func(string) string) map[string]string {
			return map[string]string{"schemas/" + at("file") + ".json": `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": ` + quoted(at("plural")+"."+at("group")) + `, "annotations": {` + quoted(at("annotation")) + `: ` + quoted(at("")) + `}, "labels": {` + quoted(at("label")) + `: "x"}},
 "spec": {"group": ` + quoted(at("group")) + `, "names": {"kind": ` + quoted(at("kind")) + `, "plural": ` + quoted(at("plural")) + `, "shortNames": [` + quoted(at("short")) + `], "singular": ` + quoted(at("singular")) + `, "listKind": ` + quoted(at("list")) + `, "categories": [` + quoted(at("category")) + `]}, "scope": "Namespaced", "versions": [
 {"name": ` + quoted(at("version")) + `, "served": true, "storage": true, "deprecated": true, "deprecationWarning": ` + quoted(at("")) + `, "subresources": {"status": {}},
  "additionalPrinterColumns": [{"name": ` + quoted(at("column")) + `, "type": "string", "description": ` + quoted(at("")) + `, "jsonPath": ` + quoted(at("path")) + `}],
  "schema": {"openAPIV3Schema": {"type": "object", "description": ` + quoted(at("")) + `, "properties": {"spec": {"type": "object", "description": ` + quoted(at("")) + `, "properties": {
   ` + quoted(at("property")) + `: {"type": "string", "title": ` + quoted(at("")) + `, "description": ` + quoted(at("")) + `, "pattern": ` + quoted(at("")) + `, "default": ` + quoted(at("")) + `},
   "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [` + quoted(at("key")) + `], "items": {"type": "object", "required": [` + quoted(at("key")) + `], "properties": {` + quoted(at("key")) + `: {"type": "string", "example": ` + quoted(at("")) + `, "format": ` + quoted(at("")) + `}}}},
   "docs": {"type": "string", "externalDocs": {"url": ` + quoted(at("")) + `, "description": ` + quoted(at("")) + `}},
   "mode": {"type": "string", "enum": [` + quoted("a"+at("")) + `, "b"], "description": ` + quoted(at("")) + `}},
   "x-kubernetes-validations": [{"rule": "self.mode != 'x'", "message": ` + quoted(at("")) + `}]},
   "status": {"type": "object", "description": ` + quoted(at("")) + `, "properties": {"state": {"type": "string", "description": ` + quoted(at("")) + `}}}}}}}]}}`}
		},
	},
}

// pointerOf is a name as a token of a JSON pointer in a URI.
func pointerOf(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}

// neverRefused are positions of names of which no tool makes anything.
var neverRefused = []string{"entry", "short", "column", "folder", "definition", "discriminator", "branch", "undeclared", "annotation", "label", "path", "key"}

const hostileConfig = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources:
  - %s
output: {dir: api, module: example.com/shop/api}
groups: {suffix: example.com}
install: {kustomize: config, helm: chart}
`

// run generates from a front-end's schemas, with some texts at all positions of texts and one at a
// position of a name.
func (f hostileFront) run(t *testing.T, text, position, name string) (code int, out, errs string, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	writes := f.writeSchemas
	if f.write != nil {
		writes = f.write
	}
	config := filepath.Join(dir, "strata.yaml")
	write(t, dir, "strata.yaml", writes(t, dir, text, position, name))
	code, out, errs = generate(t.Context(), config)
	files, err := contents(filepath.Join(dir, "api"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if code == cli.Done {
		if again, _, errs := generate(t.Context(), config, "--check"); again != cli.Done {
			t.Errorf("what is generated is not read back: exit code %d, %s", again, errs)
		}
	}
	return code, out, strings.ReplaceAll(errs, dir, "$WORK"), files
}

func (f hostileFront) writeSchemas(t *testing.T, dir, text, position, name string) (config string) {
	t.Helper()
	schemas := f.files(func(at string) string {
		switch {
		case at == "":
			return text
		case at == position:
			return name
		}
		return f.names[at]
	})
	for file, body := range schemas {
		if strings.Contains(file, "\x00") || !filepath.IsLocal(file) || path.Clean(file) != file || slices.ContainsFunc(strings.Split(file, "/"), func(name string) bool { return len(name) > 255 }) {
			t.Skip("not this case: no file can be called so")
		}
		write(t, dir, file, body)
	}
	return fmt.Sprintf(hostileConfig, f.source)
}

// TestHostileTexts puts each text at all text positions of each front end. The generated files
// must have the syntax, directives and markers that plain text gives, and nothing else.
func TestHostileTexts(t *testing.T) {
	for _, front := range hostileFronts {
		_, _, errs, plain := front.run(t, "plain", "", "")
		if len(plain) < 10 {
			t.Fatalf("%s: %d files: %s", front.name, len(plain), errs)
		}
		for i, text := range hostileTexts {
			t.Run(fmt.Sprintf("%s/%d", front.name, i), func(t *testing.T) {
				front.isText(t, plain, text)
			})
		}
	}
}

// isText checks that a text at all positions of texts gives the form that plain text has given.
func (f hostileFront) isText(t *testing.T, plain map[string]string, text string) {
	t.Helper()
	code, out, errs, files := f.run(t, text, "", "")
	isPlain(t, out, errs)
	if code != cli.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	hasForm(t, plain, files)
}

// isTried reports whether a position gets the i-th text: a ninth of them, others than its
// neighbours get, and all until one is refused. Long tests try a third, and soaking tests all.
func isTried(position, i, refused int) bool {
	part := 9
	if isLong() {
		part = 3
	}
	return i == 0 || refused == 0 || (i+position)%part == 0 || os.Getenv("STRATA_SOAK") != ""
}

// TestHostileNames puts texts at each position of a name. Each text must be refused with its
// position, or do no harm.
func TestHostileNames(t *testing.T) {
	for _, front := range hostileFronts {
		for at, position := range slices.Sorted(maps.Keys(front.names)) {
			refused := 0
			if slices.Contains(neverRefused, position) {
				refused = 1
			}
			for i, text := range append([]string{""}, hostileTexts...) {
				if !isTried(at, i, refused) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", front.name, position, i), func(t *testing.T) {
					if front.isHarmless(t, position, text) {
						return
					}
					refused++
				})
			}
			if refused == 0 {
				t.Errorf("%s: every text is taken as %s", front.name, position)
			}
		}
	}
}

// isHarmless checks that a name at a position does no harm. It is false if the name is refused.
func (f hostileFront) isHarmless(t *testing.T, position, name string) bool {
	t.Helper()
	code, out, errs, files := f.run(t, "plain", position, name)
	isPlain(t, out, errs)
	if code == cli.Done {
		for file, body := range files {
			harmless(t, file, body)
		}
		return true
	}
	if code != cli.Failed || len(files) > 0 || !strings.Contains(errs, "$WORK/") {
		t.Errorf("exit code %d, %d files, %s", code, len(files), errs)
	}
	return false
}

// longestFuzzed is how long a fuzzed text may be: descriptions of a longer one are cut for the size
// of the CRD, which gives it another form.
const longestFuzzed = 4096

// FuzzHostile repeats TestHostileTexts and TestHostileNames with any text at any position, and with
// a Go package. The position after those of names represents all positions of texts.
func FuzzHostile(f *testing.F) {
	fronts := append(slices.Clone(hostileFronts), hostileGoFront)
	for _, text := range hostileTexts {
		f.Add(uint8(0), uint8(0), text)
	}
	for front := range fronts {
		for position := range hostileFronts[front%len(hostileFronts)].names {
			f.Add(uint8(front), uint8(len(position)), "a\n//go:generate x\u2028+optional")
		}
		f.Add(uint8(front), uint8(len(fronts[front].names)), "\u0085//go:embed x\n+optional")
	}
	plain := map[string]map[string]string{}
	f.Fuzz(func(t *testing.T, front, position uint8, text string) {
		if !utf8.ValidString(text) || len(text) > longestFuzzed {
			t.Skip("not this case: JSON has no such text, or it is too long")
		}
		chosen := fronts[int(front)%len(fronts)]
		positions := slices.Sorted(maps.Keys(chosen.names))
		if at := int(position) % (len(positions) + 1); at < len(positions) {
			chosen.isHarmless(t, positions[at], text)
			return
		}
		if plain[chosen.name] == nil {
			_, _, _, plain[chosen.name] = chosen.run(t, "plain", "", "")
		}
		chosen.isText(t, plain[chosen.name], text)
	})
}

// isPlain checks that the output has no control sequences, and that no line without a message
// looks like one of Strata's messages.
func isPlain(t *testing.T, out, errs string) {
	t.Helper()
	for line := range strings.Lines(out + errs) {
		if line = strings.TrimSuffix(line, "\n"); !hasNoEffects(line) {
			t.Errorf("printed %q", line)
		}
	}
}

// hasNoEffects reports whether a line is UTF-8 without runes that have another effect than their
// display. The replacement character is harmless where a text has it.
func hasNoEffects(line string) bool {
	return utf8.ValidString(line) && strings.IndexFunc(line, func(r rune) bool { return !plaintext.IsPlain(r) && r != utf8.RuneError }) < 0
}

// hasForm checks that files have the names and the form of others, for any texts in them.
func hasForm(t *testing.T, want, got map[string]string) {
	t.Helper()
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("files %q", names)
	}
	for file, body := range got {
		harmless(t, file, body)
		if is, was := form(t, file, body), form(t, file, want[file]); is != was {
			t.Errorf("%s has another form:\n%s\nnot\n%s\nin\n%s", file, is, was, body)
		}
	}
}

// planned are the markers that Strata writes.
var planned = []string{"+required", "+kubebuilder:object:root=true", "+kubebuilder:subresource:status", "+kubebuilder:storageversion",
	"+kubebuilder:validation:Optional"}

// directives are comments that a tool reads as a directive, also after a space.
var directives = regexp.MustCompile(`^//\s*(line |extern |export |nolint|#|[a-z0-9]+:[a-z0-9])`)

// harmless checks that a file has no directive, no marker and no declaration that was not planned.
func harmless(t *testing.T, file, body string) {
	t.Helper()
	if !filepath.IsLocal(file) || strings.IndexFunc(file, func(r rune) bool { return r < '!' || r > '~' }) >= 0 {
		t.Errorf("the file %q", file)
	}
	for line := range strings.Lines(body) {
		if line = strings.Trim(line, "\t\n"); !hasNoEffects(line) {
			t.Errorf("%s: the line %q", file, line)
		}
	}
	if path.Ext(file) != ".go" {
		return
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, body, parser.ParseComments)
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			if directives.MatchString(c.Text) || strings.HasPrefix(text, "+") && !slices.Contains(planned, text) || !strings.HasPrefix(c.Text, "//") {
				t.Errorf("%s: the comment %q", file, c.Text)
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if ident, ok := call.Fun.(*ast.Ident); ok && ident.Name == "Evil" {
				t.Errorf("%s: a call of Evil", file)
			}
		}
		return true
	})
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "Evil" && f.Recv == nil {
			t.Errorf("%s declares Evil", file)
		}
	}
	if slices.ContainsFunc(parsed.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }) {
		t.Errorf("%s imports C", file)
	}
}

// form returns a file without its texts: the syntax of Go, the structure of YAML, the number of
// templates in a chart, and the cells of tables in a report.
func form(t *testing.T, file, body string) string {
	t.Helper()
	switch {
	case path.Ext(file) == ".go":
		return goForm(t, body)
	case strings.Contains(file, "templates/"):
		return fmt.Sprintf("%d templates", strings.Count(body, "{{"))
	case path.Ext(file) == ".yaml":
		return yamlForm(t, body)
	case path.Ext(file) == ".md":
		return markdownForm(body)
	}
	return ""
}

// goForm lists the nodes of a file's syntax without comments, and the names of its imports. A
// text of several lines counts as one, and assignments that share a line count as several, since
// the length of names decides both.
func goForm(t *testing.T, body string) string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "", body, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, i := range parsed.Imports {
		fmt.Fprintln(&b, "import", i.Path.Value)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if block, ok := n.(*ast.BlockStmt); ok {
			block.List = separated(block.List)
		}
		switch {
		case n == nil:
		case isText(n):
			b.WriteString("text ")
			return false
		default:
			fmt.Fprintf(&b, "%T ", n)
		}
		return true
	})
	return b.String()
}

// separated returns statements with one assignment each.
func separated(list []ast.Stmt) []ast.Stmt {
	var single []ast.Stmt
	for _, stmt := range list {
		all, ok := stmt.(*ast.AssignStmt)
		if !ok || all.Tok != token.ASSIGN || len(all.Lhs) != len(all.Rhs) {
			single = append(single, stmt)
			continue
		}
		for i := range all.Lhs {
			single = append(single, &ast.AssignStmt{Lhs: all.Lhs[i : i+1], Tok: all.Tok, Rhs: all.Rhs[i : i+1]})
		}
	}
	return single
}

// isText reports whether a node is a string literal, or a sum of such literals alone.
func isText(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BasicLit:
		return n.Kind == token.STRING
	case *ast.BinaryExpr:
		return n.Op == token.ADD && isText(n.X) && isText(n.Y)
	}
	return false
}

// textKeys are the keywords whose values are texts, or lists of them.
var textKeys = []string{"description", "pattern", "enum", "default", "message", "example", "format", "url"}

// yamlForm lists the documents of a file with the keys of their objects; texts are left out.
func yamlForm(t *testing.T, body string) string {
	t.Helper()
	roots, err := yaml.Documents([]byte(body), 100)
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	var b strings.Builder
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		fmt.Fprintf(&b, "(%d ", n.Kind)
		for i, c := range n.Content {
			switch {
			case n.Kind == yaml.MappingNode && i%2 == 0 && slices.Contains(textKeys, c.Value):
			case n.Kind == yaml.MappingNode && i%2 == 0:
				b.WriteString(c.Value)
			case n.Kind == yaml.MappingNode && slices.Contains(textKeys, n.Content[i-1].Value):
			default:
				visit(c)
			}
		}
		b.WriteByte(')')
	}
	for _, root := range roots {
		visit(root)
		b.WriteByte('\n')
	}
	return b.String()
}

var fences = regexp.MustCompile("^ {0,3}```+")

var escaped = regexp.MustCompile(`\\.|` + "`[^`]*`")

// markdownForm counts tags, links and rows of tables that have other cells than the row before,
// outside fenced blocks.
func markdownForm(body string) string {
	tags, links, ragged, cells := 0, 0, 0, 0
	fence := ""
	for line := range strings.Lines(body) {
		if mark := fences.FindString(line); mark != "" && (fence == "" || len(mark) >= len(fence)) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		line = escaped.ReplaceAllString(line, "")
		tags += strings.Count(line, "<")
		links += strings.Count(line, "](") + strings.Count(line, "://")
		n := strings.Count(line, "|")
		if n > 0 && cells > 0 && n != cells {
			ragged++
		}
		cells = n
	}
	return fmt.Sprintf("%d tags, %d links, %d ragged rows", tags, links, ragged)
}
