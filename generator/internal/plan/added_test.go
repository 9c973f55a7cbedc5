package plan_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestNamesOfAddedMembers checks that no property of a root gets the name of a member that Strata
// adds to the same root. If the status has the fields of the spec, this applies to the members of
// both roots.
func TestNamesOfAddedMembers(t *testing.T) {
	const members = `
      .Conditions string
      .AzureName string
`
	for _, test := range []struct{ reason, status, want string }{
		{"a status with the fields of the spec", "", "CartSpec Conditions2 AzureName2, Box Conditions AzureName, CartStatus Conditions2 AzureName2"},
		{
			"a status of its own", "    status &CartStatus\n    def CartStatus object" + members,
			"CartSpec Conditions AzureName2, Box Conditions AzureName, CartStatus Conditions2 AzureName",
		},
	} {
		text := "resource Microsoft.Shop/carts\n  kind Cart carts\n  version 2020-01-01\n    spec &CartSpec\n" + test.status +
			"    def CartSpec object" + members + "      .box &Box\n    def Box object" + members
		c, problems := chain.Link(context.Background(), resourcesOf(t, text), chain.Options{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var got []string
		for _, s := range plan.Decide(context.Background(), c, plan.Options{}).Groups[0].Packages[0].Structs {
			names := []string{s.Name}
			for _, f := range s.Fields {
				if f.Name != "Box" {
					names = append(names, f.Name)
				}
			}
			got = append(got, strings.Join(names, " "))
		}
		if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: fields (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestMembersThatVendorsHave adds to one version, not the newest, a property at the root of the
// spec with the name of a member of Strata. Then no version of the kind has Strata's member.
// Properties below the root, and other kinds, have no effect.
func TestMembersThatVendorsHave(t *testing.T) {
	for _, test := range []struct {
		reason, root, want string
		takes              bool
	}{
		{"none", "", "azureName owner configMapRefs outputs", true},
		{"below the root", "      .box &Box\n    def Box object\n      .outputs string\n      .configMapRefs string\n", "azureName owner configMapRefs outputs", true},
		{"outputs", "      .outputs string\n", "azureName owner configMapRefs", true},
		{"in another letter case", "      .Outputs string\n", "azureName owner configMapRefs", true},
		{"configMapRefs", "      .configMapRefs string\n", "azureName owner outputs", true},
		{"both", "      .configMapRefs string\n      .outputs string\n", "azureName owner", false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			c, problems := chain.Link(t.Context(), resourcesOf(t, "resource Microsoft.Shop/carts\n  kind Cart carts\n"+
				"  version 2020-01-01\n    spec &CartSpec\n    def CartSpec object\n      .size int\n"+test.root+
				"  version 2021-01-01\n    spec &CartSpec\n    def CartSpec object\n      .size int\n"+
				"resource Microsoft.Shop/shelves\n  kind Shelf shelves\n  version 2020-01-01\n    spec &ShelfSpec\n    def ShelfSpec object\n      .size int\n",
			), chain.Options{})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			group, specs := plan.Decide(t.Context(), c, plan.Options{}).Groups[0], 0
			for _, k := range group.Kinds {
				if takes := test.takes || k.Resource.Model.Kind != "Cart"; k.TakesConfigMaps() != takes {
					t.Errorf("%s takes ConfigMaps: %t", k.Resource.Model.Kind, !takes)
				}
			}
			for _, p := range group.Packages {
				for _, s := range p.Structs {
					if s.Name == "CartSpec" {
						specs++
						if got := addedTo(s); got != test.want {
							t.Errorf("the spec of %s has %s, want %s", p.Label, got, test.want)
						}
					}
				}
			}
			if specs != 2 {
				t.Errorf("there are %d specs", specs)
			}
		})
	}
}

// addedTo returns the names of the members that Strata adds to both sides of a root.
func addedTo(s *plan.Struct) string {
	var names []string
	for _, a := range s.AddedToBoth() {
		names = append(names, a.JSON)
	}
	return strings.Join(names, " ")
}
