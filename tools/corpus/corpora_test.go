package corpus_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/corpus"
)

func TestFind(t *testing.T) {
	tests := []struct {
		reason        string
		beside, named bool // whether there are schemas beside the workspace, and where the variable says
		set           bool // whether the variable is set
		want          string
		none, fails   bool
	}{
		{reason: "those beside the workspace are found", beside: true, want: "shared/corpora"},
		{reason: "those that the variable names are", beside: true, named: true, set: true, want: "elsewhere"},
		{reason: "without any, that is said", none: true, fails: true},
		{reason: "a variable that names none is a mistake, even with others beside", beside: true, set: true, fails: true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			makeSchemas(t, test.beside, dir, "shared/corpora")
			makeSchemas(t, test.named, dir, "elsewhere")
			t.Setenv(corpus.Variable, "")
			if test.set {
				t.Setenv(corpus.Variable, filepath.Join(dir, "elsewhere"))
			}
			got, err := corpus.Find(filepath.Join(dir, "workspace"))
			if (err != nil) != test.fails || errors.Is(err, corpus.ErrNone) != test.none {
				t.Errorf("error = %v", err)
			}
			if want := filepath.Join(dir, test.want, "arm", "schemas"); test.want != "" && got.Schemas() != want {
				t.Errorf("found %s, want %s", got.Schemas(), want)
			}
		})
	}
}

func makeSchemas(t *testing.T, wanted bool, dir, name string) {
	t.Helper()
	if !wanted {
		return
	}
	if err := os.MkdirAll(filepath.Join(dir, name, "arm", "schemas"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// tables makes corpora that have these tables and no schemas.
func tables(t *testing.T, manifest, phenomena string) corpus.Corpora {
	t.Helper()
	dir := t.TempDir()
	makeSchemas(t, true, dir, ".")
	write(t, filepath.Join(dir, "arm", "manifest.tsv"), []byte(manifest))
	write(t, filepath.Join(dir, "arm", "phenomena.tsv"), []byte(phenomena))
	t.Setenv(corpus.Variable, dir)
	c, err := corpus.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPropertiesOfLargestDeclaration(t *testing.T) {
	c := tables(t, "resource_type\tversion\tproperties\n"+
		"Microsoft.Crm/persons\t2011-01-01\t3\n"+
		"microsoft.crm/Persons\t2011-01-01\t5\n"+
		"Microsoft.Crm/persons\t2012-02-02\t4\n", "")
	got, err := c.Properties()
	if err != nil {
		t.Fatal(err)
	}
	want := map[corpus.ID]int{
		corpus.NewID("Microsoft.Crm/persons", "2011-01-01"): 5,
		corpus.NewID("Microsoft.Crm/persons", "2012-02-02"): 4,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestObservations(t *testing.T) {
	c := tables(t, "", "resource_type\tproperty_path\tlast_version_with_old\tfirst_absent\tversion_with_new\tdetail\n"+
		"a\t\t\t\t\tX -> Y\n"+
		"a\tp.away\tv1\tv2\tv4\tobj => obj\n"+
		"a\tp.old\tv1\t\tv2\t-> p.new score=0.64 kind=string\n"+
		"a\tp<Round>.size\tv1\tv2\tv3\tint -> string\n")
	got, err := c.Observations()
	if err != nil {
		t.Fatal(err)
	}
	at := func(version string) corpus.ID { return corpus.NewID("a", version) }
	want := []corpus.Observation{
		{at("v1"), "p.away", true}, {at("v2"), "p.away", false}, {at("v4"), "p.away", true},
		{at("v1"), "p.old", true}, {at("v2"), "p.new", true},
		{at("v1"), "p.size", true}, {at("v3"), "p.size", true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
