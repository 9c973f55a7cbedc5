package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

// parity is a file of testdata/parity: what another checker finds in pairs of schemas.
type parity struct {
	// Form is crd, openapi 3.0 or openapi 3.1: what the pairs are written as.
	Form string
	// Known are the names of all findings of the other checker that are about schemas.
	Known []string
	Pairs []parityPair
}

// parityPair is a pair of schemas, and what strata diff finds in it.
type parityPair struct {
	Name string
	// Theirs are patterns of names of the other checker's findings; none if it has no finding.
	Theirs []string
	// Was and Is are the schemas of one property, which is named value. With At they are those of
	// something around it: see parity.text.
	Was, Is any
	At      string
	// Types has schemas that the pair refers to. Of two, each side has one.
	Types []map[string]any
	// Finds are the findings of strata diff: a rule and a path. There are no others.
	Finds []string
	// Because says why strata diff does not find what the other checker does.
	Because string
}

// TestParity checks that strata diff finds what other checkers find in the pairs of schemas of
// their own tests, which are transcribed.
func TestParity(t *testing.T) {
	files, err := filepath.Glob("testdata/parity/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			readParity(t, file).check(t)
		})
	}
}

func readParity(t *testing.T, file string) (p parity) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p parity) check(t *testing.T) {
	covered := map[string]bool{}
	for _, pair := range p.Pairs {
		for _, theirs := range pair.Theirs {
			some := false
			for _, name := range p.Known {
				if match, _ := path.Match(theirs, name); match {
					covered[name], some = true, true
				}
			}
			if !some {
				t.Errorf("%s: %s is not known", pair.Name, theirs)
			}
		}
		t.Run(pair.Name, func(t *testing.T) {
			t.Parallel()
			if len(pair.Theirs) > 0 && len(pair.Finds) == 0 && pair.Because == "" {
				t.Error("strata diff misses the finding")
			}
			got := p.compare(t, pair)
			if want := slices.Sorted(slices.Values(pair.Finds)); !slices.Equal(got, want) {
				t.Errorf("found %q, not %q", got, want)
			}
		})
	}
	for _, name := range p.Known {
		if !covered[name] {
			t.Errorf("no pair has the finding %s", name)
		}
	}
}

// compare returns the rules and paths of all changes of a pair, sorted.
func (p parity) compare(t *testing.T, pair parityPair) []string {
	dir := t.TempDir()
	if pair.At == "versions" {
		return p.versions(t, dir, pair)
	}
	for i, schema := range []any{pair.Was, pair.Is} {
		name := filepath.Join(dir, []string{"old", "new"}[i], "widget.yaml")
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(p.text(t, pair, i, schema)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return changesOf(t, engine.DiffRequest{Old: filepath.Join(dir, "old"), New: filepath.Join(dir, "new")})
}

// versions returns the changes between two versions of one CRD.
func (p parity) versions(t *testing.T, dir string, pair parityPair) []string {
	var versions []any
	for i, schema := range []any{pair.Was, pair.Is} {
		spec := map[string]any{"type": "object", "properties": map[string]any{"value": schema}}
		versions = append(versions, map[string]any{"name": fmt.Sprintf("v%d", i+1), "served": true, "storage": i == 0, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": spec}},
		}})
	}
	const config = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources: [{crd: {root: schemas}}]
output: {dir: api, module: example.com/shop/api}
groups: {suffix: example.com}
`
	for name, text := range map[string]string{"strata.yaml": config, "schemas/widget.yaml": crdText(t, "crd", nil, map[string]any{"versions": versions})} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return changesOf(t, engine.DiffRequest{Request: engine.Request{Config: filepath.Join(dir, "strata.yaml")}})
}

// changesOf returns the rules and paths of all changes, sorted.
func changesOf(t *testing.T, r engine.DiffRequest) []string {
	t.Helper()
	r.Docs, r.Messages, r.Sources, r.Progress = true, new(diag.List), diag.NewSources(nil), progress.New(io.Discard, false)
	result, err := engine.Engine{}.Diff(t.Context(), r)
	if err != nil {
		t.Fatalf("%v\n%v", err, r.Messages)
	}
	var out []string
	inSpec := map[string]bool{} // the status of a description has what the spec has
	for _, c := range result.Comparisons {
		for _, one := range c.Changes {
			inSpec[one.Path] = true
			if rest, ok := strings.CutPrefix(one.Path, "status."); !ok || !inSpec[rest] {
				out = append(out, strings.TrimSpace(one.Kind.String()+" "+one.Path))
			}
		}
	}
	slices.Sort(out)
	return out
}

// text returns a file with a schema: a CRD, or an OpenAPI document.
func (p parity) text(t *testing.T, pair parityPair, side int, schema any) string {
	types := map[string]any{}
	if len(pair.Types) > 0 {
		types = maps.Clone(pair.Types[min(side, len(pair.Types)-1)])
	}
	object := map[string]any{"type": "object", "properties": map[string]any{"other": map[string]any{"type": "string"}}}
	switch {
	case pair.At == "object" && schema != nil:
		object = schema.(map[string]any)
	case pair.At == "" && schema != nil:
		object["properties"].(map[string]any)["value"] = schema
	}
	if p.Form == "crd" {
		return crdText(t, pair.At, object, schema)
	}
	types["Widget"] = object
	content := map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Widget"}}}
	return jsonText(t, map[string]any{
		"openapi": strings.TrimPrefix(p.Form, "openapi ") + ".0", "info": map[string]any{"title": "Widgets", "version": "v1"},
		"paths": map[string]any{"/widgets/{widget}": map[string]any{
			"parameters":        []any{map[string]any{"name": "widget", "in": "path", "required": true, "schema": map[string]any{"type": "string"}}},
			"x-strata-resource": map[string]any{"group": "Shop", "type": "widgets"},
			"put": map[string]any{
				"requestBody": map[string]any{"content": content},
				"responses":   map[string]any{"200": map[string]any{"description": "The widget.", "content": content}},
			},
			"get": map[string]any{"responses": map[string]any{"200": map[string]any{"description": "The widget.", "content": content}}},
		}},
		"components": map[string]any{"schemas": types},
	})
}

// crdText returns a CRD. At crd, the schema has members of its spec, and at version those of its
// only version. At root, it is the schema of the version.
func crdText(t *testing.T, at string, spec map[string]any, schema any) string {
	root := map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}
	if at == "root" {
		root = schema.(map[string]any)
	}
	version := map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": root}}
	all := map[string]any{
		"group": "shop.example.com", "scope": "Namespaced", "names": map[string]any{"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
		"versions": []any{version},
	}
	with := map[string]map[string]any{"crd": all, "version": version}[at]
	if more, ok := schema.(map[string]any); ok && with != nil {
		for name, value := range more {
			with[name] = value
		}
	}
	crd := map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "widgets.shop.example.com"}, "spec": all}
	if status, ok := all["storedVersions"]; ok {
		delete(all, "storedVersions")
		crd["status"] = map[string]any{"storedVersions": status}
	}
	return jsonText(t, crd)
}

func jsonText(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(fmt.Errorf("write a schema: %w", err))
	}
	return string(text)
}
