package engine_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/cputime"
)

// growing is a source with a given number of members, kinds or values.
type growing struct {
	name   string
	source string
	n      int // how many are few
	write  func(t *testing.T, dir string, n int)
	code   int      // the exit code
	args   []string // of another command than generate
}

// schemaOf writes a schema of a front-end, with definitions of which the first is that of the
// resource's properties.
func schemaOf(front string, definitions func(n int) []map[string]any) func(*testing.T, string, int) {
	return func(t *testing.T, dir string, n int) {
		all := append(append([]shapeFront{}, shapeFronts...), shapeFront{"arm", armSchema})
		for _, f := range all {
			if f.name == front {
				path, body := f.file("2020-01-01", definitions(n))
				writeJSON(t, dir, "schemas/"+path, body)
			}
		}
	}
}

func writeJSON(t *testing.T, dir, path string, value any) {
	t.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, path, string(body))
}

// versionsOf writes ARM schemas of two versions of a resource.
func versionsOf(earlier, later func(n int) map[string]any) func(*testing.T, string, int) {
	return func(t *testing.T, dir string, n int) {
		for version, properties := range map[string]map[string]any{"2020-01-01": earlier(n), "2021-01-01": later(n)} {
			path, body := armSchema(version, []map[string]any{properties})
			writeJSON(t, dir, "schemas/"+path, body)
		}
	}
}

func wideObject(n int) map[string]any { return object(wideOf(n)) }

// withGone has one property more.
func withGone(n int) map[string]any {
	members := wideOf(n)
	members["gone"] = map[string]any{"type": "string"}
	return object(members)
}

// openless has one property, and requiring requires others.
func openless(int) map[string]any {
	return object(map[string]any{"one": map[string]any{"type": "string"}})
}

func requiring(n int) map[string]any {
	members := wideOf(n)
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	members["one"] = map[string]any{"type": "string"}
	o := object(members)
	o["required"] = names
	return o
}

// openObject names one property, and takes any other.
func openObject(int) map[string]any {
	o := object(map[string]any{"p00000": map[string]any{"type": "string"}})
	o["additionalProperties"] = map[string]any{"type": "string"}
	return o
}

// armSchema is an ARM schema of one resource.
func armSchema(version string, definitions []map[string]any) (string, any) {
	all := map[string]any{}
	for i, d := range definitions {
		all[fmt.Sprintf("T%d", i)] = d
	}
	return version + "/Contoso.Shop.json", map[string]any{
		"definitions": all,
		"resourceDefinitions": map[string]any{"carts": object(map[string]any{
			"type": map[string]any{"enum": []string{"Contoso.Shop/carts"}}, "apiVersion": map[string]any{"enum": []string{version}}, "properties": ref(0),
		})},
	}
}

func properties(n int) []map[string]any { return []map[string]any{object(wideOf(n))} }

// types are n types, to each of which a property refers.
func types(n int) []map[string]any {
	members := map[string]any{}
	out := []map[string]any{object(members)}
	for i := range n {
		members[fmt.Sprintf("p%d", i)] = ref(i + 1)
		out = append(out, object(map[string]any{fmt.Sprintf("own%d", i): map[string]any{"type": "string"}}))
	}
	return out
}

// colliding are n properties whose names differ in their signs only, so that Go gives their fields
// and types one name with a number.
func colliding(n int) []map[string]any {
	const signs = "-_. /:;+=~!@"
	members := map[string]any{}
	for i := range n {
		name := "a"
		for k := i + 1; k > 0; k /= len(signs) {
			name += signs[k%len(signs):][:1]
		}
		members[name+"b"] = object(map[string]any{"own": map[string]any{"type": "string"}})
	}
	return []map[string]any{object(members)}
}

// nested are n types, each of which refers to the next.
func nested(n int) []map[string]any {
	var out []map[string]any
	for i := range n {
		out = append(out, object(deep(n, i)))
	}
	return out
}

func values(n int) []map[string]any {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("value%d", i))
	}
	return []map[string]any{object(map[string]any{"mode": map[string]any{"type": "string", "enum": all}})}
}

func branchesOf(n int) []map[string]any { return []map[string]any{object(unionOf(n, 10))} }

// orders has a CRD of one version.
func orders(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "%[1]ss.shop.example.com"}, "spec": {"group": "shop.example.com", "scope": "Namespaced",
 "names": {"kind": "%[2]s", "plural": "%[1]ss"}, "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": %[3]s}}}}]}}`,
		name, strings.ToUpper(name[:1])+name[1:], spec)
}

// repeated joins n texts.
func repeated(n int, join string, text func(i int) string) string {
	var all []string
	for i := range n {
		all = append(all, text(i))
	}
	return strings.Join(all, join)
}

func written(path string, body func(n int) string) func(*testing.T, string, int) {
	return func(t *testing.T, dir string, n int) { write(t, dir, path, body(n)) }
}

func crdWide(n int) string {
	return orders("order", `{"type": "object", "properties": {`+repeated(n, ", ", func(i int) string { return fmt.Sprintf(`"p%d": {"type": "string", "description": "It is %d."}`, i, i) })+`}}`)
}

func crdObjects(n int) string {
	return orders("order", `{"type": "object", "properties": {`+repeated(n, ", ", func(i int) string {
		return fmt.Sprintf(`"p%d": {"type": "object", "required": ["q"], "properties": {"q%d": {"type": "string"}}}`, i, i)
	})+`}}`)
}

func crdValues(n int) string {
	return orders("order", `{"type": "object", "properties": {"mode": {"type": "string", "enum": [`+repeated(n, ", ", func(i int) string { return fmt.Sprintf(`"v%d"`, i) })+`]}}}`)
}

func crdKinds(n int) string {
	return repeated(n, "\n---\n", func(i int) string {
		return orders(fmt.Sprintf("order%dx", i), `{"type": "object", "properties": {"size": {"type": "string"}}}`)
	})
}

const goHead = "// +groupName=shop.example.com\n// +strata:version:name=v1alpha1\n// +strata:version:name=v1\npackage shop\n\n"

func goWide(n int) string {
	return goHead + "// +strata:resource\ntype OrderSpec struct {\n" + repeated(n, "\n", func(i int) string {
		return fmt.Sprintf("\t// It is %[1]d.\n\t// +strata:added:since=v1\n\tP%[1]d string `json:\"p%[1]d,omitempty\"`", i)
	}) + "\n}\n"
}

func goRenamed(n int) string {
	return goHead + "// +strata:resource\ntype OrderSpec struct {\n" + repeated(n, "\n", func(i int) string {
		return fmt.Sprintf("\t// +strata:changed:since=v1,fromName=q%[1]d\n\tP%[1]d string `json:\"p%[1]d,omitempty\"`", i)
	}) + "\n}\n"
}

func goTypes(n int) string {
	return goHead + "// +strata:resource\ntype OrderSpec struct {\n" + repeated(n, "\n", func(i int) string {
		return fmt.Sprintf("\tP%[1]d T%[1]d `json:\"p%[1]d,omitempty\"`", i)
	}) + "\n}\n" + repeated(n, "\n", func(i int) string {
		return fmt.Sprintf("// T%[1]d is one.\ntype T%[1]d struct {\n\t// It is it.\n\tX string `json:\"x%[1]d,omitempty\"`\n}\n", i)
	})
}

func goValues(n int) string {
	return goHead + "// +strata:resource\ntype OrderSpec struct {\n\tMode Mode `json:\"mode,omitempty\"`\n}\n\ntype Mode string\n\nconst (\n" + repeated(n, "\n", func(i int) string {
		return fmt.Sprintf("\t// It is %[1]d.\n\t// +strata:changed:since=v1,fromName=old%[1]d\n\tMode%[1]d Mode = \"new%[1]d\"", i)
	}) + "\n)\n"
}

func goKinds(n int) string {
	return goHead + repeated(n, "\n", func(i int) string {
		return fmt.Sprintf("// Order%[1]dSpec is one.\n// +strata:resource\ntype Order%[1]dSpec struct {\n\tSize string `json:\"size,omitempty\"`\n}\n", i)
	})
}

// kinds are as many resource types of an ARM schema.
func armKinds(n int) string {
	return `{"resourceDefinitions": {` + repeated(n, ", ", func(i int) string {
		return fmt.Sprintf(`"t%[1]d": {"properties": {"type": {"enum": ["Contoso.Shop/carts%[1]dx"]}, "apiVersion": {"enum": ["2020-01-01"]}, "properties": {"properties": {"size": {"type": "string"}}}}}`, i)
	}) + `}}`
}

// disagreeing writes two files that disagree on every property.
func disagreeing(t *testing.T, dir string, n int) {
	for _, typ := range []string{"string", "integer"} {
		write(t, dir, "schemas/2020-01-01/"+typ+".json", `{"resourceDefinitions": {"orders": {"properties": {"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]}, "properties": {"properties": {`+
			repeated(n, ", ", func(i int) string { return fmt.Sprintf(`"p%d": {"type": "%s"}`, i, typ) })+`}}}}}}`)
	}
}

// clashes are unions that cannot be merged.
func clashes(n int) []map[string]any {
	members := map[string]any{}
	for i := range n {
		members[fmt.Sprintf("p%d", i)] = map[string]any{"oneOf": []any{map[string]any{"type": "string", "maxLength": i + 1}, map[string]any{"type": "array", "items": map[string]any{"type": "string"}}}}
	}
	return []map[string]any{object(members)}
}

const yamlOnOneLine = "crd on one line of YAML"

var growings = []growing{
	{"arm properties", "arm: {root: schemas}", 1000, schemaOf("arm", properties), cli.Done, nil},
	{"arm properties of two versions", "arm: {root: schemas}", 1000, versionsOf(withGone, wideObject), cli.Done, nil},
	{"arm properties that a later version requires", "arm: {root: schemas}", 200, versionsOf(openless, requiring), cli.Done, nil},
	{"arm properties that a later version requires, checked", "arm: {root: schemas}", 1000, versionsOf(openless, requiring), cli.Done, []string{"check"}},
	{"arm properties that another version does not name", "arm: {root: schemas}", 500, versionsOf(openObject, wideObject), cli.Done, nil},
	{"arm properties that an earlier version names", "arm: {root: schemas}", 500, versionsOf(wideObject, openObject), cli.Done, nil},
	{"arm types", "arm: {root: schemas}", 300, schemaOf("arm", types), cli.Done, nil},
	{"arm objects in one another", "arm: {root: schemas}", 500, schemaOf("arm", nested), cli.Done, nil},
	{"arm values", "arm: {root: schemas}", 3000, schemaOf("arm", values), cli.Done, nil},
	{"arm branches", "arm: {root: schemas}", 40, schemaOf("arm", branchesOf), cli.Done, nil},
	{"arm kinds", "arm: {root: schemas}", 100, written("schemas/2020-01-01/a.json", armKinds), cli.Done, nil},
	{"arm disagreements", "arm: {root: schemas}", 1000, disagreeing, cli.Failed, nil},
	{"arm unions that clash", "arm: {root: schemas}", 500, schemaOf("arm", clashes), cli.Done, nil},
	{"bicep properties", "bicep: {root: schemas}", 1000, schemaOf("bicep", properties), cli.Done, nil},
	{"bicep types", "bicep: {root: schemas}", 1000, schemaOf("bicep", types), cli.Done, nil},
	{"arm names that collide", "arm: {root: schemas}", 2000, schemaOf("arm", colliding), cli.Done, nil},
	{"openapi properties", "openapi: {root: schemas}", 1000, schemaOf("openapi", properties), cli.Done, nil},
	{"openapi types", "openapi: {root: schemas}", 300, schemaOf("openapi", types), cli.Done, nil},
	{"openapi values", "openapi: {root: schemas}", 3000, schemaOf("openapi", values), cli.Done, nil},
	{"crd properties", "crd: {root: schemas}", 1000, written("schemas/a.json", crdWide), cli.Done, nil},
	{"crd objects", "crd: {root: schemas}", 300, written("schemas/a.json", crdObjects), cli.Done, nil},
	{"crd values", "crd: {root: schemas}", 3000, written("schemas/a.json", crdValues), cli.Done, nil},
	{"crd kinds", "crd: {root: schemas}", 100, written("schemas/a.yaml", crdKinds), cli.Done, nil},
	{yamlOnOneLine, "crd: {root: schemas}", 1000, written("schemas/a.yaml", func(n int) string { return strings.ReplaceAll(crdWide(n), "\n", " ") }), cli.Done, nil},
	{"go properties", `go: {packages: ["./shop"]}`, 1000, written("shop/shop.go", goWide), cli.Done, nil},
	{"go properties that are renamed", `go: {packages: ["./shop"]}`, 500, written("shop/shop.go", goRenamed), cli.Done, nil},
	{"go types", `go: {packages: ["./shop"]}`, 300, written("shop/shop.go", goTypes), cli.Done, nil},
	{"go values", `go: {packages: ["./shop"]}`, 1000, written("shop/shop.go", goValues), cli.Done, nil},
	{"go conversions", `go: {packages: ["./api/..."]}`, 500, convertedProject, cli.Findings, []string{"import", "--cases", "0"}},
	{"go kinds", `go: {packages: ["./shop"]}`, 100, written("shop/shop.go", goKinds), cli.Done, nil},
}

// TestTimeIsLinear generates from sources, and from ones that are four times as large. They may
// take about four times the processor time; quadratic time would be sixteen times.
func TestTimeIsLinear(t *testing.T) {
	long(t)
	const tries, tooSteep = 8, 9
	for _, g := range growings {
		t.Run(g.name, func(t *testing.T) {
			t.Setenv("GOWORK", "off")
			t.Setenv("GOFLAGS", "-mod=mod")
			for try := 1; ; try++ {
				few, many := g.took(t, g.n), g.took(t, 4*g.n)
				ratio := float64(many) / float64(few)
				t.Logf("%d take %s, %d take %s", g.n, few, 4*g.n, many)
				if ratio < tooSteep {
					return
				}
				if try == tries {
					t.Fatalf("four times as many take %.1f times as long", ratio)
				}
			}
		})
	}
}

// took returns the processor time of a run.
func (g growing) took(t *testing.T, n int) time.Duration {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	write(t, dir, "go.mod", "module example.com/shop\n\ngo 1.26\n")
	g.write(t, dir, n)
	write(t, dir, "strata.yaml", strings.Replace(disagreeingConfig, "SOURCE", g.source, 1))
	runtime.GC() // of what earlier runs left
	before := cputime.Used()
	args := g.args
	if args == nil {
		args = []string{"generate", "--dry-run"}
	}
	code, _, errs := command(t, append(slices.Clone(args), "--config", filepath.Join(dir, "strata.yaml"))...)
	after := cputime.Used()
	if code != g.code {
		t.Fatalf("exit code %d: %.1000s", code, errs)
	}
	return after - before
}
