package corpus_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/corpus"
)

const notation = `resource Microsoft.Demo/accounts
  kind Account accounts
  version 2019-08-01
    source arm 2019-08-01/Microsoft.Demo.json resourceDefinitions
    spec &AccountSpec
    def AccountSpec object
      "An account. It holds boxes."
      .shape! &Shape
        "Either a circle or a square."
      .tiers list(minItems=1, unique=true) enum string("hot", "cold")
      .quota default("list &Shape) ") int(maximum=100)
      .vendorOwner wire(owner) string
      ."a b" list map list any
    def Shape object
      .inner map &Shape
      .colour readonly secret any("list against object")
      * &Extra
      union kind
        case ("round") allows(radius) requires(radius)
    def Extra object
`

func TestPositionsOfModel(t *testing.T) {
	models, err := corpus.ReadModels([]byte(notation))
	if err != nil {
		t.Fatal(err)
	}
	model := models[corpus.NewID("microsoft.demo/ACCOUNTS", "2019-08-01")]
	if model == nil || len(models) != 1 || model.Kind != "Account" {
		t.Fatalf("models are %v", models)
	}
	want := []corpus.Position{
		{Path: "", Object: true},
		{Path: "shape", Object: true},
		{Path: "shape.inner"},
		{Path: "shape.inner{}"},
		{Path: "shape.colour", Free: true, Conflict: "list against object"},
		{Path: "shape{}", Object: true},
		{Path: "tiers"},
		{Path: "tiers[]"},
		{Path: "quota"},
		{Path: "vendorOwner"},
		{Path: "a b"},
		{Path: "a b[]"},
		{Path: "a b[]{}"},
		{Path: "a b[]{}[]", Free: true},
	}
	if diff := cmp.Diff(want, model.Positions()); diff != "" {
		t.Error(diff)
	}
	if got := model.Count(); got != 8 {
		t.Errorf("the model has %d members, want 8", got)
	}
}

func TestHas(t *testing.T) {
	models, err := corpus.ReadModels([]byte(notation))
	if err != nil {
		t.Fatal(err)
	}
	model := models[corpus.NewID("Microsoft.Demo/accounts", "2019-08-01")]
	for _, test := range []struct {
		reason, path string
		want         bool
	}{
		{"a property", "shape.colour", true},
		{"an element", "tiers[]", true},
		{"whatever free JSON may have", "shape.colour[].name", true},
		{"not a name that only begins like that of free JSON", "shape.colourful", false},
		{"nothing in a scalar", "quota.max", false},
		{"not what no object has", "shape.size", false},
	} {
		if got := model.Has(test.path); got != test.want {
			t.Errorf("%s: that the model has %s is %t", test.reason, test.path, got)
		}
	}
}

func TestNotationThatIsNotUnderstood(t *testing.T) {
	for _, test := range []struct{ reason, old, new, want string }{
		{"an unknown type", "int(maximum=100)", "date", `line 11: `},
		{"a definition of a scalar", "def Extra object", "def Extra string", "anything but an object"},
		{"a status of its own", "spec &AccountSpec", "status &AccountSpec", "status of its own"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			_, err := corpus.ReadModels([]byte(strings.Replace(notation, test.old, test.new, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want it to contain %q", err, test.want)
			}
		})
	}
}
