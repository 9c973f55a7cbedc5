package conformance

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCoverageNamesEveryFieldOnce(t *testing.T) {
	type deep struct {
		Root   *inner
		Rows   [][]inner
		Tables map[string][]*sharing
	}
	fields, err := Coverage[deep]("crm/things v1", 300)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, field := range fields {
		paths = append(paths, field.Path)
		if field.Drawn == 0 {
			t.Errorf("%s was never drawn", field.Path)
		}
	}
	want := []string{"Root", "Rows", "Tables", "Root.Label", "Root.Next", "Tables{}[].Tags"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
}

func TestCoverageOfResource(t *testing.T) {
	fields, err := Coverage[storedPerson]("crm/persons v1", enoughCases)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range fields {
		if field.Drawn == 0 {
			t.Errorf("%s was never drawn", field.Path)
		}
	}
}

func TestCoverageOfTypeThatCannotBeDrawn(t *testing.T) {
	_, err := Coverage[struct{ Any any }]("x", 1)
	wantError(t, err, "Any: no value can be drawn for type interface {}")
}

func TestOptions(t *testing.T) {
	label := "crm/persons v1"
	usual := options{cases: defaultCases, seed: hash(label), budget: defaultBudget}
	for _, test := range []struct {
		reason      string
		cases, seed string
		want        options
		fails       string
	}{
		{"the seed follows from the label", "", "", usual, ""},
		{"the environment sets the cases", "1000", "", options{cases: 1000, seed: usual.seed, budget: usual.budget, counted: true}, ""},
		{"the environment sets the seed, as it is printed", "1", "0x1f", options{cases: 1, seed: 31, budget: usual.budget, counted: true, seeded: true}, ""},
		{"no cases prove nothing", "0", "", options{}, `STRATA_CASES is "0", not a number of cases`},
		{"cases are a number", "many", "", options{}, `STRATA_CASES is "many", not a number of cases`},
		{"seeds are a number", "", "-1", options{}, `STRATA_SEED is "-1", not a seed`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Setenv("STRATA_CASES", test.cases)
			t.Setenv("STRATA_SEED", test.seed)
			got, err := readOptions(label)
			if test.fails != "" {
				wantError(t, err, test.fails)
			} else if err != nil || got != test.want {
				t.Errorf("options are %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestRun(t *testing.T) {
	Run(t, Resource("crm/persons",
		Version("v1", up, down),
		Version("v2", (*person).convertTo, (*person).convertFrom),
	).Ignore("Status.PropertyBag").Decode(foldingDecoder))
}

func (p *person) convertTo(h *storedPerson) error   { return up(p, h) }
func (p *person) convertFrom(h *storedPerson) error { return down(p, h) }

func TestStandardLibraryIsEnough(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range syntax.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if domain, _, _ := strings.Cut(path, "/"); strings.Contains(domain, ".") {
				t.Errorf("%s imports %s: generated tests need nothing but this package", file, path)
			}
		}
	}
}
