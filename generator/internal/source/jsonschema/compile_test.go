package jsonschema

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// plain is a dialect with no rules of its own. Its references lead to the definitions of one file.
type plain struct {
	Plain
	vocabulary *Vocabulary
	references *document.References
	names      *Names
	handled    []string
}

func (p *plain) Vocabulary() *Vocabulary                        { return p.vocabulary }
func (p *plain) Resolve(ref document.Location) *document.Target { return p.references.Resolve(ref) }
func (p *plain) LeavesOut(document.Location, string) bool       { return false }
func (p *plain) Keyword(m document.Location)                    { p.handled = append(p.handled, "keyword "+m.Name()) }
func (p *plain) Unused(m document.Location)                     { p.handled = append(p.handled, "unused "+m.Name()) }

func (p *plain) Name(t *document.Target, use Use) string {
	return p.names.Unique(use.View.Suffix(), PlainName(t, func(string) bool { return false }))
}

func (p *plain) Mismatch(v document.Location, _ []string) model.Type {
	p.handled = append(p.handled, "mismatch "+v.JSON())
	return nil
}

var (
	ownFirst  = []Step{Own, Reference, AllOf, OneOf, AnyOf}
	ownBefore = []Step{Reference, AllOf, Own, OneOf, AnyOf} // before unions
)

// compiled compiles the body of a file as a resource. It returns the model, what the dialect was
// told, and the errors.
func compiled(t *testing.T, text string, steps []Step) (notation string, handled []string, problems []diag.Message) {
	t.Helper()
	doc, err := document.JSON("a.json", "a.json", []byte(text), jsontree.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d := &plain{vocabulary: &Vocabulary{Types: Types, Steps: steps}}
	d.references = document.NewReferences(func(text string, from *document.Document) *document.Target {
		return from.Find(strings.TrimPrefix(text, "#"))
	})
	c := NewCompiler(d, &document.Notes{})
	d.names = &c.Names
	root := c.Root(doc.Root().Member("body"))
	v := &model.Version{Name: "v1", Spec: c.Body(doc.Root().Member("body"), Spec)}
	for def := c.Oldest(); def != nil; def = c.Oldest() {
		c.Define(def)
	}
	c.Endless()
	v.Defs, problems = model.Closure(v.Spec), c.Problems(root)
	text = string(model.Print(&model.Resource{Type: "a/b", Versions: []*model.Version{v}}))
	_, text, _ = strings.Cut(text, "version v1\n")
	return strings.Join(strings.Fields(text), " "), d.handled, problems
}

func TestCompile(t *testing.T) {
	for _, test := range []struct{ reason, body, definitions, want string }{
		{"a schema without a type is inferred", `{"properties": {"a": {"pattern": "x"}, "b": {"items": {}}, "c": {"minimum": 1}, "d": {}}}`, ``,
			`spec object .a string(pattern="x") .b list any .c number(minimum=1) .d any`},
		{"a lone branch is the schema", `{"properties": {"a": {"oneOf": [{"type": "object"}, {"type": "null"}]}}}`, ``, `spec object .a map any`},
		{"a lone branch gives its description and default", `{"properties": {"a": {"anyOf": [{"type": "string", "description": "A.", "default": "x"}, {"type": "null"}]}}}`, ``,
			`spec object .a default("x") string "A."`},
		{"an object that others complete says nothing", `{"properties": {"a": {"type": "object", "allOf": [{"$ref": "#/definitions/P"}]}}}`, `"P": {"properties": {"x": {"type": "string"}}}`,
			`spec object .a &P def P object .x string`},
		{"a branch without members is an object", `{"properties": {"a": {"properties": {"x": {}}, "oneOf": [{"type": "object"}, {"type": "string"}]}}}`, ``,
			`spec object .a allof - object .x any - oneof - object - string`},
		{"references at the root are copied", `{"allOf": [{"$ref": "#/definitions/P"}], "properties": {"p": {"$ref": "#/definitions/P"}}}`, `"P": {"properties": {"x": {"type": "string"}}}`,
			`spec allof - object .p &P - object .x string def P object .x string`},
		{"whole numbers are of both types", `{"properties": {"a": {"type": ["integer", "number"], "enum": [1, 2]}, "b": {"type": "number", "enum": [1]}, "c": {"enum": [1, 2.5]}}}`, ``,
			`spec object .a enum int(1, 2) .b enum number(1) .c enum number(1, 2.5)`},
		{"an exclusive bound needs a bound", `{"properties": {"a": {"type": "number", "exclusiveMinimum": true}, "b": {"minimum": 1, "exclusiveMinimum": true}, "c": {"exclusiveMaximum": 4}}}`, ``,
			`spec object .a number .b number(minimum=1, exclusiveMinimum=true) .c number(maximum=4, exclusiveMaximum=true)`},
		{"a property that is false is not required", `{"required": ["a", "b"], "properties": {"a": false}}`, ``, `spec object requires(b)`},
	} {
		got, _, problems := compiled(t, fmt.Sprintf(`{"body": %s, "definitions": {%s}}`, test.body, test.definitions), ownFirst)
		if got != test.want || len(problems) > 0 {
			t.Errorf("%s:\n got %s\nwant %s\nerrors %v", test.reason, got, test.want, problems)
		}
	}
}

// TestSteps checks that the dialect's order of parts is that of the model.
func TestSteps(t *testing.T) {
	const text = `{"body": {"properties": {"p": {"properties": {"a": {}}, "allOf": [{"$ref": "#/b"}], "oneOf": [{"type": "string"}]}}}, "b": {"properties": {"b": {}}}}`
	first, _, _ := compiled(t, text, ownFirst)
	before, _, _ := compiled(t, text, ownBefore)
	if first != `spec object .p allof - object .a any - &b - string def b object .b any` || before != `spec object .p allof - &b - object .a any - string def b object .b any` {
		t.Errorf("own keywords first: %s\nbefore unions: %s", first, before)
	}
}

// TestDialectHandlesItsKeywords checks what the dialect handles.
func TestDialectHandlesItsKeywords(t *testing.T) {
	_, handled, problems := compiled(t, `{"body": {"properties": {
		"a": {"type": "string", "not": {}, "items": {}}, "b": {"type": "string", "enum": [1, "x"]}, "c": {"enum": ["x"], "minLength": 1}
	}}}`, ownFirst)
	if want := []string{"keyword not", "unused items", "mismatch 1", "unused minLength"}; !slices.Equal(handled, want) || len(problems) > 0 {
		t.Errorf("the dialect was told %q, want %q; errors %v", handled, want, problems)
	}
}

// TestBounds checks the limits of hostile schemas.
func TestBounds(t *testing.T) {
	doubling := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"D%d": {"allOf": [{"$ref": "#/D%d"}, {"$ref": "#/D%d"}]}, `, i, i+1, i+1)
		}
		return b.String() + fmt.Sprintf(`"D%d": {}`, n)
	}
	nested := func(n int) string {
		return strings.Repeat(`{"items": `, n) + `{}` + strings.Repeat(`}`, n)
	}
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"n%d", `, i)
		}
		return b.String() + `"last"`
	}
	for _, test := range []struct{ reason, text, path, want string }{
		{"a reference to itself", `{"body": {"properties": {"a": {"$ref": "#/A"}}}, "A": {"oneOf": [{"$ref": "#/A"}]}}`, "/A", `the definition "A" contains itself without end`},
		{"a root of itself", `{"body": {"$ref": "#/body"}}`, "/body/$ref", "the resource contains itself without end"},
		{"copies that double", `{"body": {"$ref": "#/D0"}, ` + doubling(40) + `}`, "/body/$ref", "references at the root of the resource copy more than 50000 schemas"},
		{"copies of a long list", `{"body": {"allOf": [` + strings.Repeat(`{"$ref": "#/A"}, `, 4000) + `{"$ref": "#/A"}]}, "A": {"required": [` + names(100_000) + `]}}`, "/body/allOf/17/$ref",
			"references at the root of the resource copy more than 16777216 bytes of schemas"},
		{"branches", `{"body": {"oneOf": [` + strings.Repeat("{},", MaxBranches) + `{}]}}`, "/body/oneOf", "oneOf has more than 5000 schemas"},
		{"nesting", `{"body": {"properties": {"a": ` + nested(MaxDepth-1) + `}}}`, "/body/properties/a" + strings.Repeat("/items", MaxDepth-1), "schemas are nested deeper than 200"},
	} {
		_, _, problems := compiled(t, test.text, ownFirst)
		if len(problems) != 1 || problems[0].Text != test.want || problems[0].Pos.Path != test.path {
			t.Errorf("%s: errors %.300v, want %q at %s", test.reason, problems, test.want, test.path)
		}
	}
	for reason, text := range map[string]string{
		"definitions that double":         `{"body": {"properties": {"a": {"$ref": "#/D0"}}}, ` + doubling(40) + `}`,
		"as many branches as are allowed": `{"body": {"oneOf": [` + strings.Repeat("{},", MaxBranches-1) + `{}]}}`,
		"as much nesting as is allowed":   `{"body": {"properties": {"a": ` + nested(MaxDepth-2) + `}}}`,
	} {
		if _, _, problems := compiled(t, text, ownFirst); len(problems) != 0 {
			t.Errorf("%s: errors %v", reason, problems)
		}
	}
}

// TestMemoryOfSchemas requires that the keywords of a schema stay on the stack, also where its type
// is inferred from them.
func TestMemoryOfSchemas(t *testing.T) {
	doc, err := document.JSON("a.json", "a.json", []byte(`{"typed": {"type": "string"}, "inferred": {"pattern": "x"}, "object": {"properties": {}}}`), jsontree.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for m := range doc.Root().All() {
		c := NewCompiler(&plain{vocabulary: &Vocabulary{Types: Types, Steps: ownFirst}}, &document.Notes{})
		const rounds = 100
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			c.Schema(m, Use{})
		}
		runtime.ReadMemStats(&after)
		if got, keywords := (after.TotalAlloc-before.TotalAlloc)/rounds, uint64(unsafe.Sizeof(schema{})); got >= keywords {
			t.Errorf("the schema %q takes %d bytes, and its keywords have %d", m.Name(), got, keywords)
		}
	}
}
