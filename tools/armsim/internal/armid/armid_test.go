package armid_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/armsim/internal/armid"
)

func TestParse(t *testing.T) {
	const group = "/subscriptions/S/resourceGroups/G"
	for path, row := range map[string]struct {
		reason string
		want   armid.Target
	}{
		"/subscriptions":   {"the list of all", armid.Target{Kind: armid.Subscriptions, Path: "/subscriptions"}},
		"/subscriptions/S": {"one of them", armid.Target{Kind: armid.Subscription, Path: "/subscriptions/S", Subscription: "S", Scope: armid.InSubscription, Name: "S"}},
		"/subscriptions/S/resourcegroups/G/": {"letter case and a last slash do not matter", armid.Target{
			Kind: armid.ResourceGroup, Path: "/subscriptions/S/resourcegroups/G", Subscription: "S",
			Group: "/subscriptions/S/resourcegroups/G", Scope: armid.InGroup, Name: "G", Parent: "/subscriptions/S",
		}},
		group + "/providers/M.C/persons/ann": {"a resource of a group", armid.Target{
			Kind: armid.Resource, Path: group + "/providers/M.C/persons/ann", Subscription: "S", Group: group, Scope: armid.InGroup,
			ScopePath: group, Namespace: "M.C", Type: "M.C/persons", Name: "ann", Parent: group,
		}},
		group + "/providers/M.C/persons/ann/notes": {"its children", armid.Target{
			Kind: armid.Collection, Path: group + "/providers/M.C/persons/ann/notes", Subscription: "S", Group: group, Scope: armid.InGroup,
			ScopePath: group, Namespace: "M.C", Type: "M.C/persons/notes", ParentType: "M.C/persons", Parent: group + "/providers/M.C/persons/ann",
		}},
		group + "/providers/M.C/persons/ann/notes/one/providers/M.Locks/locks/l": {"a lock on a child", armid.Target{
			Kind: armid.Resource, Path: group + "/providers/M.C/persons/ann/notes/one/providers/M.Locks/locks/l", Subscription: "S", Group: group,
			Scope: armid.Extension, ScopePath: group + "/providers/M.C/persons/ann/notes/one", Namespace: "M.Locks", Type: "M.Locks/locks", Name: "l",
			Parent: group + "/providers/M.C/persons/ann/notes/one",
		}},
		"/providers/Microsoft.Management/managementGroups/m/providers/M.P/p/a%20b": {"a policy of a management group, with an escaped name", armid.Target{
			Kind: armid.Resource, Path: "/providers/Microsoft.Management/managementGroups/m/providers/M.P/p/a b", Scope: armid.ManagementGroup,
			ScopePath: "/providers/Microsoft.Management/managementGroups/m", Namespace: "M.P", Type: "M.P/p", Name: "a b",
			Parent: "/providers/Microsoft.Management/managementGroups/m",
		}},
		"/providers/M.T/things/x": {"a resource of the tenant", armid.Target{
			Kind: armid.Resource, Path: "/providers/M.T/things/x", Scope: armid.Tenant, Namespace: "M.T", Type: "M.T/things", Name: "x",
		}},
	} {
		got, err := armid.Parse(path)
		if err != nil {
			t.Errorf("%s (%s): %v", path, row.reason, err)
		} else if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (%s):\n%s", path, row.reason, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for path, reason := range map[string]string{
		"/":                                             "nothing is named",
		"/subscriptions//resourceGroups/G":              "an empty name",
		"/subscriptions/S/../T":                         "a path that climbs",
		"/subscriptions/S/resourceGroups/a%2Fb":         "a slash within a name would be another id",
		"/subscriptions/S/what/is":                      "no such level",
		"/subscriptions/S/providers":                    "no provider",
		"/subscriptions/%zz":                            "a broken escape",
		"/subscriptions/S/resourceGroups/providers/M/t": "a group named providers, and rubbish behind it",
		"/subscriptions/" + strings.Repeat("x", 5000):   "no end",
	} {
		if got, err := armid.Parse(path); err == nil {
			t.Errorf("%s (%s) is taken as %+v", path, reason, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("/subscriptions/S/resourceGroups/G/providers/M.C/persons/ann/notes/n")
	f.Add("/providers/a/b/c/providers/d/e/f")
	f.Fuzz(func(t *testing.T, path string) {
		got, err := armid.Parse(path)
		if err != nil {
			return
		}
		if again, err := armid.Parse(strings.ReplaceAll(got.Path, " ", "%20")); err != nil || again.Key() != got.Key() {
			t.Fatalf("%q gives %q, which gives %q, %v", path, got.Path, again.Path, err)
		}
	})
}

func TestNames(t *testing.T) {
	for path, want := range map[string]string{
		"/subscriptions/s/resourceGroups/g/providers/M.P/as/a/bs/b":               "a b",
		"/subscriptions/s/resourceGroups/g/providers/M.P/as/a/providers/M.Q/cs/c": "c",
		"/providers/M.P/as/a": "a",
		"/subscriptions/s/resourceGroups/g/providers/M.P/as/a/bs": "a",
		"/subscriptions/s/resourceGroups/g":                       "",
	} {
		target, err := armid.Parse(path)
		if got := strings.Join(target.Names(), " "); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
}
