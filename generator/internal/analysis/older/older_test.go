package older_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/analysis/older"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// versions has Karpenter's shapes, among others: group is required, and lacked before.
const versions = `
resource example.com/pools
  kind Pool pools
  group example.com
  fact scope "Cluster"
  version v1beta1
    source crd pools.yaml pools
    spec &PoolSpec
    status &PoolStatus
    def PoolSpec object
      .ref! &Ref
      .budgets list &Budget
      .policy string
      .mode enum string("a", "b")
      .size int(minimum=1)
      .names list string
      .labels map string
      .kept! string(pattern="^a$")
      .gap string
      .filled string
      .defaulted string
      .open enum open string("a")
      .loose string
      .zone string
      .state &State
      .by_hand string
    def Ref object
      .name! string
    def State object
      .code int
      .value string
    def PoolStatus object
      .conditions list &Condition
    def Condition object
      .type! string
    def Budget object
      .nodes string
  version v1beta2
    source crd pools.yaml pools
    spec &PoolSpec
    status &PoolStatus
    def PoolSpec object
      .ref! &Ref
      .budgets list &Budget
      .policy string
      .mode enum string("a", "b")
      .size int(minimum=1)
      .names list string
      .labels map string
      .kept! string(pattern="^a$")
      .filled string
      .defaulted string
      .open enum open string("a")
      .loose string
      .zone string
      .state &State
      .by_hand string
    def Ref object
      .name! string
    def State object
      .code int
      .value string
    def PoolStatus object
      .conditions list &Condition
    def Condition object
      .type! string
    def Budget object
      .nodes string
  version v1
    source crd pools.yaml pools
    spec &PoolSpec
    status &PoolStatus
    def PoolSpec object[x-kubernetes-validations=[{"rule":"has(self.policy)"}]]
      .ref! &Ref
      .budgets list &Budget
      .policy enum string("x")
      .mode enum string("a", "c")
      .size int(minimum=2, maximum=9)
      .names list(maxItems=3) string(pattern="^[a-z]+$", maxLength=5)
      .labels map string(minLength=1)
      .kept! string(pattern="^a$")
      .gap! string(maxLength=3)
      .filled! string
      .defaulted! string[default="x"]
      .open enum open string("b")
      .loose! string
      .zone! list string
      .state! string
      .by_hand string(maxLength=3)
    def Ref object
      .name! string
      .group! string
    def Budget object
      .nodes string
      .reasons! list string
    def PoolStatus object
      .conditions list &Condition
    def Condition object
      .type! string(maxLength=9)
      .since! string
  version v2
    source crd pools.yaml pools
    spec &PoolSpec
    status &PoolStatus
    def PoolSpec object[x-kubernetes-validations=[{"rule":"has(self.policy)"}]]
      .ref! &Ref
    def Ref object
      .name! string
      .group! string
    def PoolStatus object
      .conditions list &Condition
    def Condition object
      .type! string(maxLength=9)
      .since! string
`

func TestFind(t *testing.T) {
	resources, err := model.Parse("model", []byte(versions))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(t.Context(), resources, chain.Options{
		Conversions: []chain.Conversion{{Folder: "example-com", Version: "v1beta2", Type: "PoolSpec", Property: "by_hand", Mode: chain.Custom}},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	o := older.Options{
		About: func(string) bool { return true },
		Made: func(_, version, typ, property string) bool {
			return version == "v1" && typ == "PoolSpec" && property == "filled"
		},
	}
	var got []string
	for _, f := range older.Find(context.Background(), c, o) {
		line := fmt.Sprintf("%s after %s: %s: %s: %s", f.Version, f.Older, f.Path, f.What, f.Text)
		if f.Line != "" {
			line += ": " + f.Below + ": " + f.Line
		}
		if strings.HasPrefix(f.Mend, "let the controller") {
			line += ": let the controller"
		}
		got = append(got, line)
		if f.Mend == "" {
			t.Errorf("%s: nothing mends it", got[len(got)-1])
		}
	}
	want := []string{
		"v1 after v1beta2: : rule: has(self.policy)",
		`v1 after v1beta2: policy: enum: only "x", and any value before: resources.example-com.v1beta2.PoolSpec: policy: {conversion: custom}`,
		`v1 after v1beta2: mode: enum: no longer "b": resources.example-com.v1beta2.PoolSpec: mode: {values: {"b": "c"}}`,
		"v1 after v1beta2: size: limit: at least 2: resources.example-com.v1beta2.PoolSpec: size: {conversion: custom}",
		"v1 after v1beta2: size: limit: at most 9: resources.example-com.v1beta2.PoolSpec: size: {conversion: custom}",
		"v1 after v1beta2: names: limit: at most 3 elements: resources.example-com.v1beta2.PoolSpec: names: {conversion: custom}",
		`v1 after v1beta2: names: limit: elements: matches "^[a-z]+$": resources.example-com.v1beta2.PoolSpec: names: {conversion: custom}`,
		"v1 after v1beta2: names: limit: elements: at most 5 characters: resources.example-com.v1beta2.PoolSpec: names: {conversion: custom}",
		"v1 after v1beta2: labels: limit: values: at least 1 characters: resources.example-com.v1beta2.PoolSpec: labels: {conversion: custom}",
		"v1 after v1beta2: gap: required: is required",
		"v1 after v1beta1: gap: limit: at most 3 characters",
		"v1 after v1beta2: loose: required: is required",
		"v1 after v1beta2: zone: required: is required: resources.example-com.v1beta2.PoolSpec: zone: {plural: true}",
		`v1 after v1beta2: state: required: is required: resources.example-com.v1beta2.PoolSpec: state: {unwrappedFrom: "value"}`,
		"v1 after v1beta2: budgets[].reasons: required: is required",
		"v1 after v1beta2: ref.group: required: is required",
		"v1 after v1beta2: status.conditions[].type: limit: at most 9 characters: let the controller",
		"v1 after v1beta2: status.conditions[].since: required: is required: let the controller",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
	o.About = func(string) bool { return false }
	if all := older.Find(t.Context(), c, o); len(all) > 0 {
		t.Errorf("%d requirements of a resource that does not matter", len(all))
	}
}
