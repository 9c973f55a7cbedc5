package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/emit/crd"
)

// A shape is a set of types that refer to each other: what stands in each of n types, of
// which the first is that of the resource's properties.
type shape struct {
	name string
	n    int
	// members has those of the i-th type, but for gone, which only the first version has.
	members func(n, i int) map[string]any
	// rows is how many rows the ledger has: one for the property of each place, in the one version
	// that has it.
	rows int
	// joins bounds the joins. Where there are some, rows bounds the rows.
	joins int
}

func ref(i int) map[string]any { return map[string]any{"$ref": fmt.Sprintf("#/definitions/T%d", i)} }

// wrapped is a reference in lists and maps.
func wrapped(i, around int) map[string]any {
	t := ref(i)
	for k := range around {
		if k%2 == 0 {
			t = map[string]any{"type": "array", "items": t}
		} else {
			t = map[string]any{"type": "object", "additionalProperties": t}
		}
	}
	return t
}

func object(members map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": members}
}

func complete(n, i int) map[string]any {
	out := map[string]any{}
	for j := range n {
		out[fmt.Sprintf("p%d", j)] = ref(j)
	}
	return out
}

// ladder refers twice to the next type.
func ladder(n, i int) map[string]any {
	if i == n-1 {
		return map[string]any{"end": map[string]any{"type": "string"}}
	}
	return map[string]any{"a": ref(i + 1), "b": ref(i + 1)}
}

func deep(n, i int) map[string]any {
	out := ladder(n, i)
	delete(out, "b")
	return out
}

// diamonds refer to the next two types.
func diamonds(n, i int) map[string]any {
	out := ladder(n, i)
	if i < n-2 {
		out["b"] = ref(i + 2)
	}
	return out
}

func listsAndMaps(n, i int) map[string]any {
	out := map[string]any{}
	for j := range n {
		out[fmt.Sprintf("p%d", j)] = wrapped(j, (i+j)%3)
	}
	return out
}

// unions have a branch for each type.
func unions(n, i int) map[string]any {
	var branches []any
	for j := range n {
		branches = append(branches, object(map[string]any{
			"kind": map[string]any{"type": "string", "enum": []string{fmt.Sprintf("k%d", j)}}, fmt.Sprintf("p%d", j): ref(j),
		}))
	}
	return map[string]any{"either": map[string]any{"oneOf": branches}}
}

// subsets has unions that merge to a type of their own for each set of types.
func subsets(n, i int) map[string]any {
	either := func(i, j int) map[string]any { return map[string]any{"oneOf": []any{ref(i % n), ref(j % n)}} }
	return map[string]any{
		fmt.Sprintf("own%d", i): map[string]any{"type": "string"}, "a": either(2*i, 2*i+1), "b": either(3*i+1, 5*i+2),
	}
}

func wide(n, i int) map[string]any { return wideOf(2000) }

// wideOf has as many properties.
func wideOf(n int) map[string]any {
	out := map[string]any{}
	for j := range n {
		out[fmt.Sprintf("p%05d", j)] = map[string]any{"type": "string"}
	}
	return out
}

// wideUnion has a union of 100 branches with 8 members each.
func wideUnion(n, i int) map[string]any { return unionOf(100, 8) }

// unionOf has a union of branches, each with members of its own, all required.
func unionOf(n, width int) map[string]any {
	var branches []any
	for j := range n {
		members := map[string]any{"kind": map[string]any{"type": "string", "enum": []string{fmt.Sprintf("k%d", j)}}}
		names := []string{"kind"}
		for k := range width {
			names = append(names, fmt.Sprintf("p%d_%d", j, k))
			members[names[k+1]] = map[string]any{"type": "string"}
		}
		branch := object(members)
		branch["required"] = names
		branches = append(branches, branch)
	}
	return map[string]any{"either": map[string]any{"oneOf": branches}}
}

// manyBranches has a union of branches that give one member as many types.
func manyBranches(n, i int) map[string]any {
	var branches []any
	for j := range 1000 {
		branches = append(branches, object(map[string]any{"list": map[string]any{
			"type": "array", "items": object(map[string]any{fmt.Sprintf("p%d", j): map[string]any{"type": "string"}}),
		}}))
	}
	return map[string]any{"either": map[string]any{"oneOf": branches}}
}

var shapes = []shape{
	{name: "wide union", n: 1, members: wideUnion, rows: 1},
	{name: "union of many branches", n: 1, members: manyBranches, rows: 1},
	{name: "complete graph", n: 14, members: complete, rows: 14},
	{name: "ladder of double references", n: 25, members: ladder, rows: 25},
	{name: "chain", n: 100, members: deep, rows: 100},
	{name: "diamonds", n: 40, members: diamonds, rows: 40},
	{name: "lists and maps between all", n: 12, members: listsAndMaps, rows: 12},
	{name: "unions of all", n: 8, members: unions, rows: 8},
	{name: "wide object", n: 1, members: wide, rows: 1},
	{name: "subsets of 12", n: 12, members: subsets, rows: 50, joins: 150},
	{name: "subsets of 18", n: 18, members: subsets, rows: 50, joins: 150},
	{name: "subsets of 25", n: 25, members: subsets, rows: 50, joins: 150},
}

// membersIn are those of the i-th type in a version.
func (s shape) membersIn(version string, i int) map[string]any {
	members := s.members(s.n, i)
	if version == "2020-01-01" {
		members["gone"] = map[string]any{"type": "string"}
	}
	return members
}

// write writes schemas of two versions. The second lacks a property of every type.
func (s shape) write(t testing.TB, dir string) {
	t.Helper()
	for _, v := range []string{"2020-01-01", "2021-01-01"} {
		definitions := map[string]any{}
		for i := range s.n {
			definitions[fmt.Sprintf("T%d", i)] = object(s.membersIn(v, i))
		}
		body, err := json.Marshal(map[string]any{
			"id": "https://schema.management.azure.com/schemas/" + v + "/Contoso.Shop.json#", "title": "Contoso.Shop", "definitions": definitions,
			"resourceDefinitions": map[string]any{"carts": object(map[string]any{
				"type":       map[string]any{"type": "string", "enum": []string{"Contoso.Shop/carts"}},
				"apiVersion": map[string]any{"type": "string", "enum": []string{v}},
				"name":       map[string]any{"type": "string"}, "properties": ref(0),
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, "schemas/"+v+"/Contoso.Shop.json", string(body))
	}
	write(t, dir, "strata.yaml", `apiVersion: strata.dev/v1alpha1
kind: Generation
sources: [{arm: {root: schemas}}]
output: {dir: api, module: example.com/shapes/api}
groups: {suffix: example.com}
`)
}

// TestShapes generates types that refer to each other, and counts the written rows and bytes.
// Rows of the ledger grow with places, CRDs keep within their budget, and all files grow with the
// schemas only. The same run again changes nothing.
func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			t.Chdir(dir)
			s.write(t, ".")
			files := mustGenerate(t, "strata.yaml")
			s.count(t, files)
			if err := os.RemoveAll(filepath.Join(dir, "cache")); err != nil {
				t.Fatal(err)
			}
			again := mustGenerate(t, "strata.yaml")
			if d := differing(files, again); len(d) > 0 {
				t.Errorf("the same run again changes %q", d)
			}
		})
	}
}

func (s shape) count(t *testing.T, files map[string]string) {
	rows, joins, all := 0, 0, 0
	for path, body := range files {
		all += len(body)
		switch {
		case strings.HasPrefix(path, "ledger/contoso-shop/"):
			rows, joins = strings.Count(body, "\nkey "), strings.Count(body, "\njoin ")
		case strings.HasPrefix(path, "crds/") && len(body) > crd.Limit:
			t.Errorf("%s has %d bytes", path, len(body))
		}
	}
	if rows > s.rows || joins > s.joins || s.joins == 0 && rows < s.rows {
		t.Errorf("the ledger has %d rows of keys, want %d, and %d joins, want %d", rows, s.rows, joins, s.joins)
	}
	if isReported := strings.Contains(files["reports/contoso-shop/free-json.md"], "combinations of union branches"); isReported != (s.joins > 0) {
		t.Errorf("the report says %v of unions beyond their budget", isReported)
	}
	if most := 8 << 20; all > most {
		t.Errorf("%d files have %d bytes, more than %d", len(files), all, most)
	}
}

// BenchmarkShapes measures the same runs, and one on 50,000 properties.
func BenchmarkShapes(b *testing.B) {
	for _, s := range append(slices.Clone(shapes), wide50k) {
		b.Run(strings.ReplaceAll(s.name, " ", "-"), func(b *testing.B) {
			dir := b.TempDir()
			b.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			s.write(b, dir)
			b.ReportAllocs()
			for b.Loop() {
				if code, _, errs := generate(context.Background(), filepath.Join(dir, "strata.yaml")); code != 0 {
					b.Fatal(errs)
				}
				for _, made := range []string{"api", "cache"} {
					if err := os.RemoveAll(filepath.Join(dir, made)); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
