package code

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/corpus"
)

// written makes files below a new folder, and returns it.
func written(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const commented = `// Generator information:
// - Generated from: /some.json
// - ARM URI: /subscriptions/{s}/resourceGroups/{g}/providers/`

// TestGroups reads the resources of the peer from the comments in its files.
func TestGroups(t *testing.T) {
	p := Peer{api: written(t, map[string]string{
		"scheme.go": "package api",
		"crm/v1api20200131preview/person_types_gen.go":        commented + "Microsoft.Crm/persons/{name}\n",
		"crm/v1api20200131preview/letter_types_gen.go":        commented + "Microsoft.Crm/persons/{name}/letterBoxes/default/letters/{l}\n\n" + commented + "Microsoft.Crm/persons/{name}/letterBoxes/default/letters/{l}\n",
		"crm/v1api20210401/person_types_gen.go":               commented + "Microsoft.Crm/persons/{name}\n",
		"crm/v1api20210401/storage/person_types_gen.go":       commented + "Microsoft.Crm/others/{name}\n",
		"crm/v1api20210401/person_types_gen_test.go":          commented + "Microsoft.Crm/tests/{name}\n",
		"crm/customizations/person_types_gen.go":              commented + "Microsoft.Crm/hooks/{name}\n",
		"shop/v1api20210401/basket_types_gen.go":              commented + "Microsoft.Shop/baskets/{name}\n",
		"shop/v1api20210401/arm/basket_spec_arm_types_gen.go": commented + "Microsoft.Shop/arms/{name}\n",
		"shop/v1api20210401/basket_spec_arm_nothing_gen.go":   commented + "Microsoft.Shop/nothing/{name}\n",
		"shop/v1api20210401/uncommented_types_gen.go":         "package v1api20210401\n",
		"shop/v1api20210401/structure.txt":                    commented + "Microsoft.Shop/text/{name}\n",
		"shop/versions_matrix.md":                             commented + "Microsoft.Shop/matrix/{name}\n",
	})}
	got, err := p.groups()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]group{
		"crm": {
			"v1api20200131preview": {corpus.NewID("Microsoft.Crm/persons/letterBoxes/letters", "2020-01-31-preview"), corpus.NewID("Microsoft.Crm/persons", "2020-01-31-preview")},
			"v1api20210401":        {corpus.NewID("Microsoft.Crm/persons", "2021-04-01")},
		},
		"shop": {"v1api20210401": {corpus.NewID("Microsoft.Shop/baskets", "2021-04-01")}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := (Peer{api: t.TempDir()}).groups(); err == nil {
		t.Error("no resources are no error")
	}
}

// TestSchemasOfGroup finds the schemas of all versions of a group, also where their names differ in
// case, and none if one is missing.
func TestSchemasOfGroup(t *testing.T) {
	all, err := schemas(written(t, map[string]string{
		"2020-01-31-preview/Microsoft.CRM.json": "{}",
		"2021-04-01/Microsoft.CRM.json":         "{}",
		"2021-04-01/Microsoft.Shop.json":        "{}",
	}))
	if err != nil {
		t.Fatal(err)
	}
	persons := func(version string) corpus.ID { return corpus.NewID("Microsoft.Crm/persons", version) }
	g := group{"v1api20200131preview": {persons("2020-01-31-preview")}, "v1api20210401": {persons("2021-04-01")}}
	got, found := all.of(g)
	if diff := cmp.Diff([]string{"2020-01-31-preview/Microsoft.CRM.json", "2021-04-01/Microsoft.CRM.json"}, got); !found || diff != "" {
		t.Errorf("found: %t (-want +got):\n%s", found, diff)
	}
	g["v1api20220401"] = []corpus.ID{persons("2022-04-01")}
	if got, found := all.of(g); found {
		t.Errorf("schemas of a group with a version that has none: %v", got)
	}
}
