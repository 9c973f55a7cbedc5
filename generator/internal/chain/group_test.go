package chain

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
)

func TestFolder(t *testing.T) {
	for _, c := range []struct{ reason, provider, want string }{
		{"the first and last letters and digits", "az09", "az09"},
		{"capitals", "AZ", "az"},
		{"what stands beside letters and digits in ASCII", "a`b{c/d:e", "a-b-c-d-e"},
		{"Microsoft's providers go by their second part", "Microsoft.Batch", "batch"},
		{"others by all of it", "Sendgrid.Email", "sendgrid-email"},
		{"letters of other scripts", "é.x.é", "x"},
		{"nothing that counts", "Microsoft.{}", ""},
	} {
		if got := Folder(c.provider); got != c.want {
			t.Errorf("%s: the folder of %q is %q, want %q", c.reason, c.provider, got, c.want)
		}
	}
}

// TestGroupsOfProviders checks that a provider has a group, unless Kubernetes or the output does
// not allow the name.
func TestGroupsOfProviders(t *testing.T) {
	longest := strings.Repeat("x", maxFolder)
	for _, c := range []struct {
		reason, provider string
		want             bool
	}{
		{"as long as allowed", longest, true},
		{"longer by one", longest + "x", false},
		{"a name without letters", "{}", false},
		{"a folder for other things", "Microsoft.Ledger", false},
		{"another provider with the folder of one before", "Contoso/Shop", false},
		{"the same in other capitals", "contoso.SHOP", true},
	} {
		l := &linker{groups: map[string]*Group{}}
		l.group("Contoso.Shop", "", model.Pos{})
		if got := l.group(c.provider, "", model.Pos{}) != nil; got != c.want || got == (len(l.problems) > 0) {
			t.Errorf("%s: %s has a group: %t, with the problems %v", c.reason, c.provider, got, l.problems)
		}
	}
}
