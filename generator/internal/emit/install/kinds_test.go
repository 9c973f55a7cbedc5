package install_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit/install"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// mall has three kinds in two groups. Two have a deprecated property.
const mall = `
resource Contoso.Shop/orders
  kind Order orders
  version 2020-01-01
    spec &Spec
    def Spec object
      .size int
  version 2021-01-01
    spec &Spec
    def Spec object
      .colour deprecated("use size") string
      .size int

resource Contoso.Shop/baskets
  kind Basket baskets
  version 2020-01-01
    spec &Spec
    def Spec object
      .size int
  version 2021-01-01
    spec &Spec
    def Spec object
      .size int

resource Contoso.Store/shelves
  kind Shelf shelves
  version 2020-01-01
    spec &Spec
    def Spec object
      .height deprecated("use size") int
      .size int
`

// TestKindsByValue renders the chart for each set of kinds, which must give the manifests of the
// package that is printed for these kinds.
func TestKindsByValue(t *testing.T) {
	resources, err := model.Parse("model", []byte(mall))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(context.Background(), resources, chain.Options{Suffix: "example.com"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	all := plan.Decide(context.Background(), c, plan.Options{})
	chart := printed(t, all, options())
	groups := map[string][]string{}
	var kinds []string
	for _, g := range all.Groups {
		for _, k := range g.Kinds {
			selector := g.Chain.Name + "/" + k.Name
			groups[g.Chain.Name], kinds = append(groups[g.Chain.Name], selector), append(kinds, selector)
		}
	}
	if len(kinds) != 3 || !strings.Contains(string(chart["chart/templates/policies.yaml"]), "deprecated-orders") {
		t.Fatalf("the plan has %q", kinds)
	}
	for set := range 1 << len(kinds) {
		var chosen []string
		var values []any
		for i, kind := range kinds {
			if set&(1<<i) != 0 {
				chosen, values = append(chosen, kind), append(values, kind)
			}
		}
		t.Run(fmt.Sprint(chosen), func(t *testing.T) {
			selected := all
			if chosen != nil {
				if selected, err = install.Select(all, chosen); err != nil {
					t.Fatal(err)
				}
			}
			want := printed(t, selected, options())
			for _, part := range []string{"webhook.yaml", "policies.yaml", "operator.yaml"} {
				got, err := render(t, chart, "chart/templates/"+part, "strata-system", values...)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(spelled(t, groups, documents(t, want["config/"+part])), spelled(t, groups, documents(t, got))); diff != "" {
					t.Errorf("%s (-package of the kinds +chart):\n%s", part, diff)
				}
			}
		})
	}
}

// spelled spells the arguments of an operator with the kinds of a group, where they may name the
// group instead.
func spelled(t *testing.T, groups map[string][]string, manifests []map[string]any) []map[string]any {
	t.Helper()
	for _, m := range providers(t, manifests) {
		spec, _ := m["spec"].(map[string]any)
		template, _ := spec["template"].(map[string]any)
		if template == nil {
			continue
		}
		container := template["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
		var args []any
		for _, arg := range container["args"].([]any) {
			for group, kinds := range groups {
				if arg == "--kinds="+group {
					arg = "--kinds=" + strings.Join(kinds, " --kinds=")
				}
			}
			for one := range strings.SplitSeq(arg.(string), " ") {
				args = append(args, one)
			}
		}
		container["args"] = args
	}
	return manifests
}

// TestValuesSchema requires that the schema declares exactly the values of the chart.
func TestValuesSchema(t *testing.T) {
	files := packages(t, options())
	var schema struct {
		AdditionalProperties bool
		Properties           map[string]struct {
			Items      struct{ Enum []string }
			Properties map[string]any
		}
	}
	if err := json.Unmarshal(files["chart/values.schema.json"], &schema); err != nil {
		t.Fatal(err)
	}
	values := documents(t, files["chart/values.yaml"])[0]
	var names []string
	for name := range schema.Properties {
		if name != "global" { // of Helm
			names = append(names, name)
		}
	}
	for name := range values {
		if !slices.Contains(names, name) {
			t.Errorf("the schema does not declare %s", name)
		}
	}
	if len(names) != len(values) || schema.AdditionalProperties {
		t.Errorf("the schema declares %q", names)
	}
	for name := range values["operator"].(map[string]any) {
		if schema.Properties["operator"].Properties[name] == nil {
			t.Errorf("the schema does not declare operator.%s", name)
		}
	}
	if kinds := schema.Properties["kinds"].Items.Enum; !slices.Equal(kinds, []string{"contoso-shop.example.com/Order"}) && !slices.Equal(kinds, []string{"contoso.shop.example.com/Order"}) {
		t.Errorf("the kinds are %q", kinds)
	}
}
