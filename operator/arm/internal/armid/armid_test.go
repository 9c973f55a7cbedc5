package armid_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/armid"
)

func TestOf(t *testing.T) {
	const (
		group = "/subscriptions/s/resourceGroups/g"
		batch = group + "/providers/Microsoft.Batch/batchAccounts/a"
		mg    = "/providers/Microsoft.Management/managementGroups/m"
	)
	tests := []struct{ reason, kind, parent, name, want string }{
		{"in a resource group", "Microsoft.Batch/batchAccounts", group, "a", batch},
		{"a child", "Microsoft.Batch/batchAccounts/pools", batch, "p", batch + "/pools/p"},
		{"a child whose parent is written in another case", "Microsoft.Batch/batchAccounts/pools", strings.ToLower(batch), "p", strings.ToLower(batch) + "/pools/p"},
		{"a grandchild", "Microsoft.Sql/servers/databases/rules", group + "/providers/Microsoft.Sql/servers/s/databases/d", "r",
			group + "/providers/Microsoft.Sql/servers/s/databases/d/rules/r"},
		{"a grandchild whose name says what is in between", "Microsoft.Storage/storageAccounts/blobServices/containers",
			group + "/providers/Microsoft.Storage/storageAccounts/s", "default/logs", group + "/providers/Microsoft.Storage/storageAccounts/s/blobServices/default/containers/logs"},
		{"a child whose name says all", "Microsoft.Batch/batchAccounts/pools", group, "a/p", batch + "/pools/p"},
		{"in a subscription", "Microsoft.Authorization/policyAssignments", "/subscriptions/s", "p", "/subscriptions/s/providers/Microsoft.Authorization/policyAssignments/p"},
		{"in a management group", "Microsoft.Authorization/policyDefinitions", mg, "p", mg + "/providers/Microsoft.Authorization/policyDefinitions/p"},
		{"in the tenant", "Microsoft.Management/managementGroups", "", "m", mg},
		{"in the tenant, said by a slash", "Microsoft.Management/managementGroups", "/", "m", mg},
		{"an extension of a resource", "Microsoft.Authorization/locks", batch, "l", batch + "/providers/Microsoft.Authorization/locks/l"},
		{"an extension of a child", "Microsoft.Insights/diagnosticSettings", batch + "/pools/p", "d", batch + "/pools/p/providers/Microsoft.Insights/diagnosticSettings/d"},
		{"a child of an extension", "Microsoft.Insights/things/parts", batch + "/providers/Microsoft.Insights/things/t", "p", batch + "/providers/Microsoft.Insights/things/t/parts/p"},
		{"an extension of the same namespace", "Microsoft.Batch/extras", batch, "e", batch + "/providers/Microsoft.Batch/extras/e"},
		{"a resource group", "Microsoft.Resources/resourceGroups", "/subscriptions/s", "g", group},
		{"a resource group, by its other type", "microsoft.resources/subscriptions/resourceGroups", "/subscriptions/s", "g", group},
		{"a subscription", "Microsoft.Resources/subscriptions", "", "s", "/subscriptions/s"},
		{"a deployment in the tenant", "Microsoft.Resources/deployments", "", "d", "/providers/Microsoft.Resources/deployments/d"},
	}
	for _, test := range tests {
		parent, err := armid.Parse(test.parent)
		if err != nil {
			t.Fatal(err)
		}
		got, err := armid.Of(test.kind, parent, test.name)
		if err != nil || got.String() != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.reason, got, err, test.want)
			continue
		}
		again, err := armid.Parse(got.String())
		isGroup := armid.IsResourceGroup(test.kind) && armid.IsResourceGroup(again.Type())
		if err != nil || !strings.EqualFold(again.Type(), test.kind) && !isGroup {
			t.Errorf("%s: read again it has type %s, %v", test.reason, again.Type(), err)
		}
		if want := strings.Count(test.name, "/") + 1; len(again.Names()) < want || !strings.HasSuffix(test.want, again.Name()) {
			t.Errorf("%s: read again it has the names %v", test.reason, again.Names())
		}
	}
}

func TestOfRefuses(t *testing.T) {
	const group = "/subscriptions/s/resourceGroups/g"
	tests := []struct{ reason, kind, parent, name, want string }{
		{"a child below a group", "Microsoft.Batch/batchAccounts/pools", group, "p", "belongs to a parent of type Microsoft.Batch/batchAccounts, and " + group + " is of type Microsoft.Resources/resourceGroups"},
		{"a resource group below a group", "Microsoft.Resources/resourceGroups", group, "h", "belongs to a parent of type Microsoft.Resources/subscriptions"},
		{"a subscription below anything", "Microsoft.Resources/subscriptions", group, "t", "belongs to a parent of type Microsoft.Resources/tenants"},
		{"no type", "Microsoft.Batch", group, "p", "is no type of a resource"},
		{"no name", "Microsoft.Batch/batchAccounts", group, "", "a part is empty"},
		{"a name that leads upwards", "Microsoft.Batch/batchAccounts", group, "..", `".." is no name`},
		{"a name that begins a query", "Microsoft.Batch/batchAccounts", group, "a?b", `which no name may`},
		{"a name that is escaped", "Microsoft.Batch/batchAccounts", group, "a%2fb", `which no name may`},
		{"a name with too many parts", "Microsoft.Batch/batchAccounts", group, "a/b", "has 2 parts"},
		{"a name with a line end", "Microsoft.Batch/batchAccounts", group, "a\nb", "which no name may"},
		{"a name that ends in a blank", "Microsoft.Batch/batchAccounts", group, "a ", "begins or ends with a blank"},
		{"a name that is too long", "Microsoft.Batch/batchAccounts", group, strings.Repeat("a", 261), "more than 260"},
	}
	for _, test := range tests {
		parent, err := armid.Parse(test.parent)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := armid.Of(test.kind, parent, test.name); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %s, %v, want %s", test.reason, got, err, test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"subscriptions/s":                  "does not begin with a slash",
		"/subscriptions/s/":                "a part is empty",
		"/subscriptions":                   "is in place of providers",
		"/subscriptions/s/things/t":        "is in place of providers",
		"/providers/A.B":                   "it ends within",
		"/providers/A.B/c/d/e":             "type e has no name",
		"/subscriptions/../x":              `".." is no name`,
		"/" + strings.Repeat("a", 4096):    "more than 4096",
		"/subscriptions/s/providers/a/b/?": "which no name may",
	} {
		if got, err := armid.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestParts(t *testing.T) {
	id, err := armid.Parse("/Subscriptions/s/resourcegroups/g/providers/A.B/c/d/e/f g/providers/H.I/j/k")
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{id.Type(), id.Name(), id.Parent().String(), id.Parent().Type(), id.Subscription()}; !slices.Equal(got, []string{
		"H.I/j", "k", "/Subscriptions/s/resourcegroups/g/providers/A.B/c/d/e/f g", "A.B/c/e", "s",
	}) {
		t.Errorf("got %q", got)
	}
	if got, want := id.Path(), "/Subscriptions/s/resourcegroups/g/providers/A.B/c/d/e/f%20g/providers/H.I/j/k"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := id.Parent().Names(); !slices.Equal(got, []string{"d", "f g"}) {
		t.Errorf("got the names %q", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("/subscriptions/s/resourceGroups/g/providers/A.B/c/d")
	f.Add("/providers/A.B/c/d/providers/E.F/g/h")
	f.Add("/providers/A.B/providers/E.F/g/h")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := armid.Parse(text)
		if err != nil {
			return
		}
		again, err := armid.Parse(id.String())
		if err != nil || again.String() != id.String() || again.Type() != id.Type() {
			t.Errorf("%q became %q of type %s, then %q of type %s, %v", text, id, id.Type(), again, again.Type(), err)
		}
		if !id.IsTenant() && id.String() != text {
			t.Errorf("%q became %q", text, id)
		}
	})
}
