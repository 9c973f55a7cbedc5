package engine_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/cli"
)

const examplesConfig = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources:
  - go: {packages: ["./..."]}
output: {dir: api, module: example.com/shop/api}
`

// examplesTest converts an object of each case there and back.
const examplesTest = `package api_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"example.com/shop/api"
)

type example struct {
	Example, Group, Kind, From, To string
	Spec, Want                     json.RawMessage
}

func TestExamples(t *testing.T) {
	body, err := os.ReadFile("examples.jsonl")
	check(t, err)
	s := runtime.NewScheme()
	check(t, api.AddToScheme(s))
	for line := range strings.Lines(string(body)) {
		var e example
		check(t, json.Unmarshal([]byte(line), &e))
		t.Run(e.Example+"/"+e.From+" to "+e.To, func(t *testing.T) {
			kind := schema.GroupKind{Group: e.Group, Kind: e.Kind}
			from := made(t, s, kind.WithVersion(e.From))
			check(t, json.Unmarshal([]byte("{\"metadata\": {\"name\": \"x\"}, \"spec\": "+string(e.Spec)+"}"), from))
			to := made(t, s, kind.WithVersion(e.To))
			convert(t, s, kind, from, to)
			same(t, to, e.Want)
			back := made(t, s, kind.WithVersion(e.From))
			convert(t, s, kind, to, back)
			same(t, back, e.Spec)
		})
	}
}

func made(t *testing.T, s *runtime.Scheme, gvk schema.GroupVersionKind) runtime.Object {
	o, err := s.New(gvk)
	check(t, err)
	return o
}

// convert converts an object by way of the hub.
func convert(t *testing.T, s *runtime.Scheme, kind schema.GroupKind, from, to runtime.Object) {
	for gvk := range s.AllKnownTypes() {
		if gvk.GroupKind() != kind {
			continue
		}
		if hub, ok := made(t, s, gvk).(conversion.Hub); ok {
			check(t, from.(conversion.Convertible).ConvertTo(hub))
			check(t, to.(conversion.Convertible).ConvertFrom(hub))
			return
		}
	}
	t.Fatalf("%v has no hub", kind)
}

func same(t *testing.T, o runtime.Object, want json.RawMessage) {
	body, err := json.Marshal(o)
	check(t, err)
	var got struct{ Spec any }
	check(t, json.Unmarshal(body, &got))
	var wanted any
	check(t, json.Unmarshal(want, &wanted))
	if !reflect.DeepEqual(got.Spec, wanted) {
		t.Errorf("%s, want %s", body, want)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
`

// TestVersionedExamples converts objects of the examples that the public tests of the Rust crate
// stackable-versioned have. Each is a script versioned-*.txtar, which TestScripts runs by itself;
// here all that convert are one project.
func TestVersionedExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	archives, err := filepath.Glob("testdata/script/versioned-*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	dir := t.TempDir()
	module(t, dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -trimpath")
	var cases strings.Builder
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
		example := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "versioned-"), ".txtar")
		for line := range strings.Lines(files["conversions.jsonl"]) {
			cases.WriteString(withGroup(t, line, example, files) + "\n")
		}
		for f, body := range files {
			if strings.HasSuffix(f, ".go") && files["conversions.jsonl"] != "" {
				write(t, dir, example+"/"+f, body)
			}
		}
	}
	write(t, dir, "strata.yaml", examplesConfig)
	if code, _, errs := generate(t.Context(), dir+"/strata.yaml"); code != cli.Done {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	write(t, dir, "api/examples.jsonl", cases.String())
	write(t, dir, "api/examples_test.go", examplesTest)
	goTool(t, dir, "test", "-vet=off", "./api")
}

// withGroup returns a case with the name of its example and the API group, by default that of the
// package.
func withGroup(t *testing.T, line, example string, files map[string]string) string {
	t.Helper()
	var made map[string]any
	if err := json.Unmarshal([]byte(line), &made); err != nil {
		t.Fatalf("%s: %v", example, err)
	}
	made["example"] = example
	for name, body := range files {
		group, _, found := strings.Cut(strings.TrimPrefix(body, "// +groupName="), "\n")
		if strings.HasSuffix(name, ".go") && found && made["group"] == nil {
			made["group"] = group
		}
	}
	out, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
