package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
)

// A shapeFront is a front-end that shapes are written for.
type shapeFront struct {
	name string
	// file gives the path and body of one version's schema, with the types of a shape as JSON
	// schemas.
	file func(version string, definitions []map[string]any) (path string, body any)
}

var shapeFronts = []shapeFront{
	{"bicep", func(version string, definitions []map[string]any) (string, any) {
		return "contoso.shop/" + version + "/types.json", bicepTypes(version, definitions)
	}},
	{"openapi", func(version string, definitions []map[string]any) (string, any) {
		all := map[string]any{"Cart": object(map[string]any{"properties": ref(0)})}
		for i, d := range definitions {
			all[fmt.Sprintf("T%d", i)] = d
		}
		cart := map[string]any{"$ref": "#/definitions/Cart"}
		return version + "/shop.json", map[string]any{
			"swagger": "2.0", "info": map[string]any{"title": "Shop", "version": version}, "definitions": all,
			"paths": map[string]any{"/subscriptions/{s}/resourceGroups/{g}/providers/Contoso.Shop/carts/{cartName}": map[string]any{"put": map[string]any{
				"parameters": []any{map[string]any{"name": "c", "in": "body", "schema": cart}},
				"responses":  map[string]any{"200": map[string]any{"schema": cart}},
			}}},
		}
	}},
}

// bicepTypes returns a file of Bicep types. The kinds of types that a shape refers to in unions
// distinguish them.
func bicepTypes(version string, definitions []map[string]any) []map[string]any {
	b := &bicepFile{types: make([]map[string]any, len(definitions))}
	for i, d := range definitions {
		properties := map[string]any{"kind": map[string]any{"type": b.add(map[string]any{"$type": "StringLiteralType", "value": kindOf(ref(i))}), "flags": 1}}
		b.types[i] = b.object(d, properties)
	}
	body := b.object(object(map[string]any{"properties": ref(0)}), map[string]any{})
	body["name"] = "Contoso.Shop/carts"
	b.add(map[string]any{"$type": "ResourceType", "name": "Contoso.Shop/carts@" + version, "body": b.add(body), "readableScopes": 8, "writableScopes": 8})
	return b.types
}

type bicepFile struct{ types []map[string]any }

func (b *bicepFile) add(t map[string]any) map[string]any {
	b.types = append(b.types, t)
	return map[string]any{"$ref": fmt.Sprintf("#/%d", len(b.types)-1)}
}

// object is an object with some properties and those of a JSON schema.
func (b *bicepFile) object(schema, properties map[string]any) map[string]any {
	declared, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		properties[name] = map[string]any{"type": b.typ(declared[name].(map[string]any)), "flags": 0}
	}
	return map[string]any{"$type": "ObjectType", "name": "Object", "properties": properties}
}

// typ is a reference to the type of a JSON schema.
func (b *bicepFile) typ(schema map[string]any) map[string]any {
	if to, ok := schema["$ref"].(string); ok {
		return map[string]any{"$ref": "#/" + strings.TrimPrefix(to, "#/definitions/T")}
	}
	if branches, ok := schema["oneOf"].([]any); ok {
		elements := map[string]any{}
		for _, branch := range branches {
			elements[kindOf(branch.(map[string]any))] = b.typ(branch.(map[string]any))
		}
		return b.add(map[string]any{"$type": "DiscriminatedObjectType", "name": "Either", "discriminator": "kind", "baseProperties": map[string]any{}, "elements": elements})
	}
	return b.add(map[string]any{"$type": "StringType"})
}

// kindOf distinguishes a type from others that a reference leads to.
func kindOf(ref map[string]any) string {
	return strings.TrimPrefix(ref["$ref"].(string), "#/definitions/")
}

// writeFor writes schemas of two versions below a folder. All types of both have one more property.
func (s shape) writeFor(t *testing.T, front shapeFront, dir, more string) {
	t.Helper()
	for _, v := range []string{"2020-01-01", "2021-01-01"} {
		var definitions []map[string]any
		for i := range s.n {
			definitions = append(definitions, object(s.membersIn(v, i)))
			definitions[i]["properties"].(map[string]any)[more] = map[string]any{"type": "string"}
		}
		path, body := front.file(v, definitions)
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, path, string(text))
	}
}

// frontShapes are shapes that all front-ends can write: the quickest of them in a short run.
func frontShapes() []shape {
	names := []string{"complete graph", "wide object", "subsets of 25"}
	if !testing.Short() {
		names = append(names, "ladder of double references", "subsets of 12", "subsets of 18")
	}
	return slices.DeleteFunc(slices.Clone(shapes), func(s shape) bool { return !slices.Contains(names, s.name) })
}

// TestShapesOfFrontEnds runs the commands on shapes of each front-end, and counts the written
// bytes.
func TestShapesOfFrontEnds(t *testing.T) {
	for _, front := range shapeFronts {
		for _, s := range frontShapes() {
			t.Run(front.name+"/"+s.name, func(t *testing.T) {
				dir := t.TempDir()
				t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
				t.Chdir(dir)
				s.writeFor(t, front, "schemas", "now")
				s.writeFor(t, front, "before", "then")
				write(t, dir, "strata.yaml", fmt.Sprintf(hostileConfig, front.name+": {root: schemas}"))
				s.count(t, mustGenerate(t, "strata.yaml"))
				requireMessage(t, "check")
				requireMessage(t, "diff", "before", "schemas")
				requireMessage(t, "explain", "Cart", "properties.now")
			})
		}
	}
}

// requireMessage runs a command, which must succeed and print something, but not much more than the
// schemas have.
func requireMessage(t *testing.T, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), args, cli.Streams{Out: &out, Err: &errs}, engine.Engine{})
	if code == cli.Failed || out.Len() == 0 {
		t.Errorf("%q: exit code %d: %s", args, code, errs.String())
	}
	if reported, most := out.Len()+errs.Len(), 1<<20; reported > most {
		t.Errorf("%q prints %d bytes, more than %d", args, reported, most)
	}
}
