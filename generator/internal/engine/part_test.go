package engine_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

const (
	newest  = "schemas/2016-01-01/Contoso.Shop.json"
	other   = "schemas/2016-01-01/Fabrikam.Sea.json"
	sharing = "schemas/2017-01-01/Contoso.Shop.json" // refers to common
	common  = "schemas/common/types.json"

	commonTypes = `{"definitions": {"A": {"properties": {"street": {"type": "string"}}}}}`
)

// partShop writes a project in which a schema refers to another file.
func partShop(t *testing.T, dir string) {
	t.Helper()
	shop(t, dir, 7)
	text := strings.Replace(shopSchema("Contoso.Shop", "2017-01-01", 0), `"Address": {"properties": {"street": {"type": "string"}}}`,
		`"Address": {"$ref": "../common/types.json#/definitions/A"}`, 1)
	write(t, dir, sharing, text)
	write(t, dir, common, commonTypes)
	write(t, dir, "strata.yaml", strings.Replace(shopConfig, "{root: schemas}", `{root: schemas, exclude: ["common/**"]}`, 1))
}

// replace replaces text in a file, which must have it.
func replace(t *testing.T, dir, name, old, with string) {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || !strings.Contains(string(body), old) {
		t.Fatalf("%s has no %q (%v)", name, old, err)
	}
	write(t, dir, name, strings.ReplaceAll(string(body), old, with))
}

// partCases change a project after a complete run.
var partCases = []struct {
	name    string
	change  func(t *testing.T, dir string)
	only    []string
	isPart  bool // only the group of the resources is generated
	changes bool // the run must write something
	code    int
}{
	{"nothing", func(*testing.T, string) {}, []string{"Contoso.Shop/carts"}, true, false, cli.Done},
	{"a property is new", func(t *testing.T, dir string) {
		replace(t, dir, newest, `"only6"`, `"more": {"type": "string"}, "only6"`)
	}, []string{"contoso.shop/ORDERS"}, true, true, cli.Done},
	{"another group changes", func(t *testing.T, dir string) {
		replace(t, dir, other, `"only6"`, `"more": {"type": "string"}, "only6"`)
	}, []string{"Contoso.Shop/orders"}, true, false, cli.Done},
	{"both groups change, and both are asked for", func(t *testing.T, dir string) {
		replace(t, dir, other, `"only6"`, `"more": {"type": "string"}, "only6"`)
		replace(t, dir, newest, `"only6"`, `"more": {"type": "string"}, "only6"`)
	}, []string{"Contoso.Shop/orders", "Fabrikam.Sea/**"}, true, true, cli.Done},
	{"a file that another one refers to changes", func(t *testing.T, dir string) {
		replace(t, dir, common, `"street"`, `"town": {"type": "string"}, "street"`)
	}, []string{"Contoso.Shop/**"}, true, true, cli.Done},
	{"a file of another group declares a version", func(t *testing.T, dir string) {
		replace(t, dir, other, `"resourceDefinitions": {`, `"resourceDefinitions": {"x": {"properties": {
      "type": {"enum": ["Contoso.Shop/carts"]}, "apiVersion": {"enum": ["2019-01-01"]}, "properties": {"$ref": "#/definitions/carts"}}}, `)
	}, []string{"Contoso.Shop/carts"}, true, true, cli.Done},
	{"a file of another group declares a resource", func(t *testing.T, dir string) {
		replace(t, dir, other, `"resourceDefinitions": {`, `"resourceDefinitions": {"x": {"properties": {
      "type": {"enum": ["Contoso.Shop/boats"]}, "apiVersion": {"enum": ["2019-01-01"]}, "properties": {"$ref": "#/definitions/carts"}}}, `)
	}, []string{"Contoso.Shop/*"}, false, true, cli.Done},
	{"a schema is new", func(t *testing.T, dir string) {
		write(t, dir, "schemas/2018-01-01/Contoso.Shop.json", shopSchema("Contoso.Shop", "2018-01-01", 3))
	}, []string{"Contoso.Shop/carts"}, false, true, cli.Done},
	{"a schema is gone", func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, newest)); err != nil {
			t.Fatal(err)
		}
	}, []string{"Contoso.Shop/carts"}, false, false, cli.Done},
	{"the configuration changes", func(t *testing.T, dir string) {
		replace(t, dir, "strata.yaml", "module: example.com/shop/api", "module: example.com/store/api")
	}, []string{"Contoso.Shop/carts"}, false, true, cli.Done},
	{"a shared file is edited", func(t *testing.T, dir string) { replace(t, dir, "api/register.go", "package api", "package ipa") },
		[]string{"Contoso.Shop/carts"}, false, true, cli.Done},
	{"a shared file is gone", func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, "api/register.go")); err != nil {
			t.Fatal(err)
		}
	}, []string{"Contoso.Shop/carts"}, false, true, cli.Done},
	{"the index is of another program", func(t *testing.T, dir string) {
		all, err := filepath.Glob(filepath.Join(dir, "cache/strata/*.index"))
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		body, err := os.ReadFile(all[0])
		if err != nil {
			t.Fatal(err)
		}
		body[len(`{"key":"`)] ^= 1
		write(t, "", all[0], string(body))
	}, []string{"Contoso.Shop/carts"}, false, false, cli.Done},
	{"a generated file is edited", func(t *testing.T, dir string) {
		replace(t, dir, "api/contoso-shop/v20160101/cart_types.go", "package v20160101", "package other")
	}, []string{"Contoso.Shop/carts"}, true, true, cli.Done},
	{"a generated file of another resource is edited", func(t *testing.T, dir string) {
		replace(t, dir, "api/contoso-shop/v20160101/order_types.go", "package v20160101", "package other")
	}, []string{"Contoso.Shop/carts"}, true, false, cli.Done},
	{"a generated file of another group is edited", func(t *testing.T, dir string) {
		replace(t, dir, "api/fabrikam-sea/v20160101/cart_types.go", "package v20160101", "package other")
	}, []string{"Contoso.Shop/carts"}, true, false, cli.Done},
	{"a generated file is gone", func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, "api/contoso-shop/v20160101/cart_types.go")); err != nil {
			t.Fatal(err)
		}
	}, []string{"Contoso.Shop/carts"}, true, true, cli.Done},
	{"a file claims to be generated", func(t *testing.T, dir string) {
		write(t, dir, "api/contoso-shop/v20160101/more.go", "// Code generated by strata. DO NOT EDIT.\n\npackage v20160101\n")
	}, []string{"Contoso.Shop/carts"}, true, false, cli.Done},
	{"a step that nothing calls", func(t *testing.T, dir string) {
		write(t, dir, "api/contoso-shop/v20160101/storage/hand.go", "package storage\n\nfunc (c *Cart) AssignToCart(d Cart) error { return nil }\n")
	}, []string{"Contoso.Shop/carts"}, false, false, cli.Failed},
	{"versions are asked for", func(t *testing.T, dir string) {
		replace(t, dir, newest, `"only6"`, `"more": {"type": "string"}, "only6"`)
	}, []string{"Contoso.Shop/orders", ">=2015-01-01"}, true, true, cli.Done},
	{"a resource that does not exist", func(*testing.T, string) {}, []string{"Contoso.Shop/carts", "Contoso.Shop/boats"}, false, false, cli.Failed},
	{"a schema cannot be read", func(t *testing.T, dir string) { write(t, dir, newest, "{") }, []string{"Contoso.Shop/carts"}, false, false, cli.Failed},
	{"a schema of another group cannot be read", func(t *testing.T, dir string) { write(t, dir, other, "{") }, []string{"Contoso.Shop/carts"}, false, false, cli.Failed},
	{"an entry of the ledger is damaged", func(t *testing.T, dir string) {
		replace(t, dir, "api/ledger/contoso-shop/cart.txt", "strata ledger", "no ledger")
	}, []string{"Contoso.Shop/carts"}, false, false, cli.Failed},
	{"the manifest has conflicts", func(t *testing.T, dir string) {
		replace(t, dir, "api/manifest.json", "  \"omitted\"", "<<<<<<< ours\n  \"omitted\"")
	}, []string{"Contoso.Shop/carts"}, false, false, cli.Failed},
	{"the manifest has another form", func(t *testing.T, dir string) {
		replace(t, dir, "api/manifest.json", "\n    {", "\n {")
	}, []string{"Contoso.Shop/carts"}, false, true, cli.Done},
}

// TestPartIsThatOfCompleteRun changes projects after a complete run, and runs with --only twice:
// with the index of that run, and without a cache folder. The files and messages must be the same.
func TestPartIsThatOfCompleteRun(t *testing.T) {
	long(t)
	for _, tt := range partCases {
		t.Run(tt.name, func(t *testing.T) {
			var trees [2]map[string]string
			var codes [2]int
			var texts [2]string
			for i := range trees {
				dir := t.TempDir()
				t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
				partShop(t, dir)
				before := mustGenerate(t, filepath.Join(dir, "strata.yaml"))
				tt.change(t, dir)
				changed, err := contents(filepath.Join(dir, "api"))
				if err != nil {
					t.Fatal(err)
				}
				if i == 1 {
					t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "none"))
				}
				args := []string{"-o", "json"}
				for _, only := range tt.only {
					args = append(args, "--only", only)
				}
				code, out, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"), args...)
				codes[i], texts[i] = code, problems(errs, dir)
				if trees[i], err = contents(filepath.Join(dir, "api")); err != nil {
					t.Fatal(err)
				}
				if len(before) < 100 || len(differing(changed, trees[i])) > 0 != tt.changes {
					t.Errorf("of %d files, the run changes %q", len(before), differing(changed, trees[i]))
				}
				checkPart(t, out, code, i == 0 && tt.isPart, len(tt.only))
			}
			if changed := differing(trees[1], trees[0]); len(changed) > 0 {
				t.Errorf("the index makes a difference to %q", changed)
			}
			if codes != [2]int{tt.code, tt.code} || texts[0] != texts[1] {
				t.Errorf("exit codes %d, want %d\n%s\nwithout the index\n%s", codes, tt.code, texts[0], texts[1])
			}
		})
	}
}

// checkPart checks whether a run has generated some groups only.
func checkPart(t *testing.T, out string, code int, isPart bool, only int) {
	t.Helper()
	var result struct {
		Summary struct{ Resources int }
	}
	if code != cli.Done {
		return
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	if got := result.Summary.Resources < 6; got != isPart && (only == 1 || !isPart) {
		t.Errorf("%d resources were generated", result.Summary.Resources)
	}
}

// problems returns the errors and warnings, without the folder.
func problems(errs, dir string) string {
	var out []string
	for line := range strings.Lines(errs) {
		if strings.HasPrefix(line, "strata: error:") || strings.HasPrefix(line, "strata: warning:") {
			out = append(out, strings.ReplaceAll(line, dir, ""))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// TestPartsFollowEachOther runs with --only after each of several changes. The files must be those
// of a project without an index.
func TestPartsFollowEachOther(t *testing.T) {
	dir, without := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, without} {
		t.Setenv("XDG_CACHE_HOME", filepath.Join(d, "cache"))
		partShop(t, d)
		mustGenerate(t, filepath.Join(d, "strata.yaml"))
		for _, name := range []string{newest, other, sharing} {
			for _, more := range []string{"more", "evenMore"} {
				replace(t, d, name, `"orders": {"properties": {`, `"orders": {"properties": {"`+more+`": {"type": "string"}, `)
				if d == without {
					t.Setenv("XDG_CACHE_HOME", filepath.Join(d, name, more))
				}
				provider := strings.TrimSuffix(filepath.Base(name), ".json")
				if code, _, errs := generate(t.Context(), filepath.Join(d, "strata.yaml"), "--only", provider+"/orders"); code != cli.Done {
					t.Fatal(errs)
				}
			}
		}
	}
	got, err := contents(filepath.Join(dir, "api"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := contents(filepath.Join(without, "api"))
	if err != nil || len(want) < 100 {
		t.Fatal(len(want), err)
	}
	if changed := differing(want, got); len(changed) > 0 {
		t.Errorf("the runs differ in %q", changed)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	if changed := differing(got, mustGenerate(t, filepath.Join(dir, "strata.yaml"))); len(changed) > 0 {
		t.Errorf("a complete run changes %q", changed)
	}
}
