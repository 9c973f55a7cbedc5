package armschema

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const expression = `{"$ref": "https://schema.management.azure.com/schemas/common/definitions.json#/definitions/expression"}`

// library returns a library of files, given as texts by their paths.
func library(t testing.TB, files map[string]string) *Library {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// things is a schema file with one resource, M.P/things, whose member properties has a schema.
func things(properties, definitions string) string {
	return fmt.Sprintf(`{"id": "https://schema.management.azure.com/schemas/2020-01-01/M.P.json#", "$schema": "http://json-schema.org/draft-04/schema#",
		"resourceDefinitions": {"things": {"type": "object", "properties": {
			"name": {"type": "string"}, "type": {"enum": ["M.P/things"]}, "apiVersion": {"enum": ["2020-01-01"]}, "properties": %s},
			"required": ["name", "type", "apiVersion", "properties"]}}, "definitions": {%s}}`, properties, definitions)
}

func find(t testing.TB, l *Library) *Schema {
	t.Helper()
	s, err := l.Find("m.p/THINGS", "2020-01-01", "resourceDefinitions")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decoded(t testing.TB, text string) any {
	t.Helper()
	v, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValidate(t *testing.T) {
	const base = `"Base": {"type": "object", "additionalProperties": false, "properties": {"kind": {"type": "string"}}, "required": ["kind"]},
		"A": {"type": "object", "properties": {"a": {"type": "integer"}}}, "B": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}`
	const union = `{"allOf": [{"$ref": "#/definitions/Base"}, {"oneOf": [
		{"allOf": [{"$ref": "#/definitions/A"}, {"properties": {"kind": {"const": "A"}}}]},
		{"allOf": [{"$ref": "#/definitions/B"}, {"properties": {"kind": {"const": "B"}}}]}]}]}`
	for _, row := range []struct {
		reason              string
		schema, definitions string
		good                []string
		wrong               map[string]string // body -> path
	}{
		{
			"a base that is closed does not close its branches, and a branch does not open the base", union, base,
			[]string{`{"kind":"A"}`, `{"kind":"A","a":1}`, `{"kind":"B","b":"x"}`},
			map[string]string{
				`{"kind":"A","b":"x"}`: "properties.b", `{"kind":"B"}`: "properties.b", `{"kind":"C"}`: "properties.kind", `{}`: "properties.kind",
				`{"kind":"A","z":1}`: "properties.z", `{"kind":"A","a":"x"}`: "properties.a",
			},
		},
		{
			"a base that says what other members are does not judge those of its branches",
			`{"type": "object", "additionalProperties": {"type": "object"}, "oneOf": [{"properties": {"type": {"enum": ["X"]}}, "required": ["type"]}]}`, "",
			[]string{`{"type":"X"}`, `{"type":"X","more":{}}`},
			map[string]string{`{"type":"X","more":1}`: "properties.more", `{"type":"Y"}`: "properties.type"},
		},
		{
			"exactly one of the conditions of oneOf holds",
			`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
				"oneOf": [{"required": ["a"], "not": {"required": ["b"]}}, {"required": ["b"], "not": {"required": ["a"]}}]}`, "",
			[]string{`{"a":"x"}`, `{"b":"x"}`},
			map[string]string{`{}`: "properties.a", `{"a":"x","b":"x"}`: "properties", `{"a":"x","c":"x"}`: "properties.c"},
		},
		{
			"exactly one of two required members is there",
			`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}`, "",
			[]string{`{"a":"x"}`, `{"b":"x"}`},
			map[string]string{`{}`: "properties.a", `{"a":"x","b":"x"}`: "properties"},
		},
		{
			"not is about some members of an object that has others",
			`{"type": "object", "properties": {"kind": {"type": "string"}, "size": {"type": "integer"}, "inner": {"type": "object", "properties": {"x": {"type": "string"}}}},
				"not": {"properties": {"kind": {"enum": ["small"]}, "inner": {"properties": {"x": {"const": "1"}}, "required": ["x"]}}, "required": ["kind", "inner"]}}`, "",
			[]string{`{"kind":"small","size":1}`, `{"kind":"large","inner":{"x":"1"}}`, `{"kind":"small","inner":{"x":"2"}}`},
			map[string]string{`{"kind":"small","size":1,"inner":{"x":"1"}}`: "properties"},
		},
		{
			"not of a value", `{"type": "object", "properties": {"name": {"type": "string", "not": {"enum": ["admin", "root"]}}}}`, "",
			[]string{`{"name":"ann"}`}, map[string]string{`{"name":"root"}`: "properties.name"},
		},
		{
			"an expression is no alternative, and a text in brackets is a text",
			`{"type": "object", "properties": {"n": {"oneOf": [{"type": "integer"}, ` + expression + `]}, "s": {"oneOf": [{"type": "string"}, ` + expression + `]}, "e": ` + expression + `}}`, "",
			[]string{`{"n":1,"s":"[x]","e":"plain"}`},
			map[string]string{`{"n":"[add(1,2)]"}`: "properties.n", `{"e":1}`: "properties.e"},
		},
		{
			"what RE2 does not know, and what takes no end in other engines",
			`{"type": "object", "properties": {"s": {"type": "string", "pattern": "^(?!-)[a-z-]{3,}(?<!-)$"}, "slow": {"type": "string", "pattern": "^(a+)+$"}}}`, "",
			[]string{`{"s":"a-b"}`, `{"slow":"` + strings.Repeat("a", 60) + `!"}`},
			map[string]string{`{"s":"-ab"}`: "properties.s", `{"s":"ab-"}`: "properties.s"},
		},
		{
			"integers beyond 32 bits, and beyond 64", `{"type": "object", "properties": {"n": {"type": "integer", "maximum": 18446744073709551615}}}`, "",
			[]string{`{"n":18446744073709551615}`, `{"n":4294967296}`},
			map[string]string{`{"n":18446744073709551616}`: "properties.n", `{"n":1.5}`: "properties.n"},
		},
		{
			"bounds as draft 4 says them", `{"type": "object", "properties": {"n": {"type": "number", "minimum": 1, "exclusiveMinimum": true}}}`, "",
			[]string{`{"n":1.1}`}, map[string]string{`{"n":1}`: "properties.n"},
		},
		{
			"what is required and named nowhere may be anything; what the schema forbids is not required",
			`{"type": "object", "properties": {"o": {"type": "object", "additionalProperties": false, "properties": {"a": {}}, "required": ["b"]}}, "required": ["x"]}`, "",
			[]string{`{"x":1}`, `{"x":null,"o":{}}`}, map[string]string{`{}`: "properties.x", `{"x":1,"o":{"b":1}}`: "properties.o.b"},
		},
		{
			"a definition that contains itself", `{"$ref": "#/definitions/Tree"}`,
			`"Tree": {"type": "object", "properties": {"left": {"$ref": "#/definitions/Tree"}, "all": {"type": "array", "items": {"$ref": "#/definitions/Tree"}}}}`,
			[]string{`{"left":{"left":{"all":[{},{"left":{}}]}}}`}, map[string]string{`{"all":[{},{"left":{"z":1}}]}`: "properties.all[1].left.z"},
		},
		{
			"an object that names nothing is free, a map is a map, and a list of nothing is free",
			`{"type": "object", "properties": {"free": {"type": "object", "properties": {}}, "map": {"type": "object", "additionalProperties": {"type": "integer"}}, "list": {"type": "array"}, "any": {}}}`, "",
			[]string{`{"free":{"a":[1]},"map":{"a b":1},"list":[1,"x"],"any":null}`},
			map[string]string{`{"map":{"a.b":"x"}}`: `properties.map["a.b"]`, `{"map":{"a":1.5}}`: "properties.map.a", `{"list":{}}`: "properties.list"},
		},
		{
			"properties that have the names of keywords", `{"type": "object", "properties": {"properties": {"type": "object", "properties": {"required": {"type": "boolean"}}}, "enum": {"type": "string"}, "$ref": {"type": "string"}}}`, "",
			[]string{`{"properties":{"required":true},"enum":"x","$ref":"y"}`}, map[string]string{`{"properties":{"required":1}}`: "properties.properties.required"},
		},
		{
			"branches that overlap: what fits both is taken",
			`{"oneOf": [{"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "object", "properties": {"a": {"type": "number"}, "b": {}}}]}`, "",
			[]string{`{"a":1}`, `{}`, `{"a":1.5,"b":1}`}, map[string]string{`{"a":"x"}`: "properties.a"},
		},
	} {
		s := find(t, library(t, map[string]string{"2020-01-01/M.P.json": things(row.schema, row.definitions)}))
		for _, body := range row.good {
			whole := decoded(t, `{"properties":`+body+`}`)
			if problems := s.Validate(whole); len(problems) > 0 {
				t.Errorf("%s: %s: %v", row.reason, body, problems)
			} else if known := s.Known(whole.(map[string]any)); !same(known, whole) {
				t.Errorf("%s: of %s only %v is known", row.reason, body, known)
			}
		}
		for body, path := range row.wrong {
			problems := s.Validate(decoded(t, `{"properties":`+body+`}`))
			if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Path == path }) {
				t.Errorf("%s: %s: %v, nothing at %s", row.reason, body, problems, path)
			}
		}
	}
}

func TestConstantsOfAllBranchesAreReportedAtOnce(t *testing.T) {
	l, err := Open(filepath.Join("..", "..", "..", "..", "schemas", "crm"))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"2015-05-05", "2019-09-09"} { // the two ways to write a union
		s, err := l.Find("Microsoft.Crm/parties", version, "resourceDefinitions")
		if err != nil {
			t.Fatal(err)
		}
		problems := s.Validate(decoded(t, `{"properties":{"displayName":"x","details":{"kind":"Club"}}}`))
		if len(problems) != 1 || problems[0].Path != "properties.details.kind" || !strings.Contains(problems[0].Message, "Company") || !strings.Contains(problems[0].Message, "Association") {
			t.Errorf("%s: %v", version, problems)
		}
	}
}

func TestBody(t *testing.T) {
	s := find(t, library(t, map[string]string{"2020-01-01/M.P.json": things(`{"type": "object"}`, "")}))
	for body, path := range map[string]string{
		`{"properties":{}}`: "", `{}`: "properties", `{"properties":{},"name":"x"}`: "name", `{"properties":{},"location":"x"}`: "location",
	} {
		if problems := s.Validate(decoded(t, body)); len(problems) > 1 || path == "" && len(problems) > 0 || path != "" && (len(problems) == 0 || problems[0].Path != path) {
			t.Errorf("%s: %v, want %q", body, problems, path)
		}
	}
}

func TestKnown(t *testing.T) {
	s := find(t, library(t, map[string]string{"2020-01-01/M.P.json": things(
		`{"type": "object", "properties": {"same": {"type": "string"}, "shape": {"type": "object", "properties": {"in": {}}}, "list": {"type": "array", "items": {"type": "object", "properties": {"a": {}}}},
		"union": {"oneOf": [{"type": "object", "properties": {"kind": {"enum": ["A"]}, "a": {}}}, {"type": "object", "properties": {"kind": {"enum": ["B"]}, "b": {}}}]}}}`, "")}))
	body := decoded(t, `{"tags":{"a":"b"},"properties":{"same":"x","newer":1,"shape":[1],"list":[{"a":1,"b":2},3],"union":{"kind":"A","a":1,"b":2}}}`)
	want := `{"properties":{"list":[{"a":1}],"same":"x","union":{"a":1,"kind":"A"}}}`
	if got := show(s.Known(body.(map[string]any))); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if !s.Names("properties", "same") || s.Names("properties", "newer") || s.Names("tags") {
		t.Error("names are known wrongly")
	}
}

func TestFilesAreFound(t *testing.T) {
	l := library(t, map[string]string{
		"2020-01-01/M.P.json":      things(`{"$ref": "https://schema.management.azure.com/schemas/2019-01-01/M.Other.json#/definitions/T"}`, ""),
		"2020-01-01/M.P.More.json": strings.ReplaceAll(things(`{"type": "object", "properties": {"more": {}}}`, ""), `"resourceDefinitions"`, `"subscription_resourceDefinitions"`),
		"2019-01-01/M.Other.json":  `{"definitions": {"T": {"type": "object", "properties": {"o": {"type": "string"}}}}}`,
		"2018-01-01/M.P.json":      strings.ReplaceAll(things(`{"type": "object"}`, ""), "2020-01-01", "2018-02-02"),
		"2017-01-01/M.Bad.json":    `{"resourceDefinitions": {"x": {"properties": {"type": {"enum": ["M.Bad/x"]}, "properties": {"$ref": "#/definitions/None"}}}}}`,
		"2016-01-01/M.Torn.json":   `{`,
	})
	if s := find(t, l); s.Type != "M.P/things" || len(s.Validate(decoded(t, `{"properties":{"o":"x"}}`))) > 0 {
		t.Errorf("%s: a reference to another file: %v", s.Type, s.Validate(decoded(t, `{"properties":{"o":"x"}}`)))
	}
	if s, err := l.Find("M.P/things", "2020-01-01", "subscription_resourceDefinitions"); err != nil || len(s.Validate(decoded(t, `{"properties":{"more":1}}`))) > 0 {
		t.Errorf("another scope: %v", err)
	}
	if _, err := l.Find("M.P/things", "2018-02-02", ""); err != nil {
		t.Errorf("an API version that is not the folder's: %v", err)
	}
	_, err := l.Find("M.P/things", "2018-01-01", "")
	if unknown, ok := errors.AsType[*UnknownVersionError](err); !ok || fmt.Sprint(unknown.Known) != "[2018-02-02 2020-01-01]" {
		t.Errorf("an unknown version: %v", err)
	}
	if _, err := l.Find("M.P/other", "2020-01-01", ""); !errors.As(err, new(*UnknownTypeError)) {
		t.Errorf("an unknown type: %v", err)
	}
	if _, err := l.Find("M.Bad/x", "2017-01-01", ""); !errors.Is(err, errNowhere) {
		t.Errorf("a reference that leads nowhere: %v", err)
	}
	if _, err := l.Find("M.Torn/x", "2016-01-01", ""); err == nil || !strings.Contains(err.Error(), "M.Torn.json") {
		t.Errorf("a file that is no JSON: %v", err)
	}
}

// FuzzBody judges any JSON by a schema of the worked example that has all shapes.
func FuzzBody(f *testing.F) {
	l, err := Open(filepath.Join("..", "..", "..", "..", "schemas", "crm"))
	if err != nil {
		f.Fatal(err)
	}
	s, err := l.Find("Microsoft.Crm/parties", "2019-09-09", "resourceDefinitions")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"properties":{"displayName":"x","details":{"kind":"Company","registrationNumber":"1"},"members":[{}],"extensions":[null]}}`)
	f.Add(`{"properties":{"displayName":1,"details":[]},"tags":{"a":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		body, err := Decode([]byte(text))
		if err != nil {
			return
		}
		problems := s.Validate(body)
		object, isObject := body.(map[string]any)
		if !isObject {
			if len(problems) == 0 {
				t.Errorf("%s is taken", text)
			}
			return
		}
		if known := s.Known(object); len(problems) == 0 && !same(known, body) {
			t.Errorf("%s fits, and only %s is known", text, show(known))
		}
	})
}

func TestValidateName(t *testing.T) {
	const text = `{"type": "string", "pattern": "^[a-z]+$", "maxLength": 5}`
	for _, row := range []struct {
		reason, name string
		good, wrong  []string
	}{
		{"any text", `{"type": "string"}`, []string{"x", "a/b"}, nil},
		{"a pattern beside the template expression", `{"oneOf": [` + text + `, ` + expression + `]}`, []string{"ann"}, []string{"Ann", "annabel", "[x]"}},
		{"constants", `{"oneOf": [{"enum": ["default"]}, ` + expression + `]}`, []string{"default"}, []string{"other"}},
		{"a base with the name, and a pattern beside it", `{"allOf": [{"$ref": "#/definitions/N"}, {"maxLength": 2}]}`, []string{"an"}, []string{"ann", "1"}},
	} {
		l := library(t, map[string]string{"2020-01-01/M.P.json": strings.Replace(things(`{}`, `"N": `+text), `"name": {"type": "string"}`, `"name": `+row.name, 1)})
		s := find(t, l)
		for _, name := range row.good {
			if found := s.ValidateName(name); len(found) > 0 {
				t.Errorf("%s: %q: %v", row.reason, name, found)
			}
			if found := s.ValidateName("[", name); strings.Contains(row.name, "pattern") && len(found) > 0 {
				t.Errorf("%s: the second spelling %q: %v", row.reason, name, found)
			}
		}
		for _, name := range row.wrong {
			if found := s.ValidateName(name, "["+name); len(found) != 1 || found[0].Path != "" {
				t.Errorf("%s: %q: %v", row.reason, name, found)
			}
		}
	}
}
