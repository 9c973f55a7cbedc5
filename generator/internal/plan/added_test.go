package plan_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestNamesOfAddedMembers keeps the names of members that Strata adds from properties of the same root, and of the other one
// where the status has the fields of the spec.
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
