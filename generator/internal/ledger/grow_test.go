package ledger

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

const orders = `resource Contoso.Shop/orders
  kind Order orders
  version 2020-01-01
    spec &OrderSpec
    def OrderSpec object
      .size string
      .street string
  version 2021-01-01
    spec &OrderSpec
    def OrderSpec object
      .size string
`

func linked(t *testing.T, l *Ledger, text string) *chain.Chain {
	t.Helper()
	merged, _ := l.Merge(context.Background(), resources(t, text))
	c, problems := chain.Link(context.Background(), merged, chain.Options{Records: l.Records()})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

func serveLast(r *chain.Resource) []string { return []string{r.Versions[len(r.Versions)-1].Label} }

// TestWith checks that runs add to the ledger, in order of arrival, and remove nothing.
func TestWith(t *testing.T) {
	first := new(Ledger).With(linked(t, new(Ledger), orders), all, Decisions{Served: serveLast})
	e := first.Find("contoso.SHOP/orders")
	if e == nil || e.File != "contoso-shop/order.txt" || len(e.Keys) != 1 {
		t.Fatalf("%+v", e)
	}
	more := strings.ReplaceAll(orders, "2021-01-01", "2022-01-01") + "\n" +
		strings.NewReplacer("orders", "carts", "Order", "Cart").Replace(orders) + "\n" +
		strings.NewReplacer("Contoso.Shop/orders", "Contoso.Shop/boxes/orders", "kind Order orders", "kind ORDER orderz").Replace(orders)
	second := first.With(linked(t, first, more), all, Decisions{Served: serveLast})
	if diff := cmp.Diff([]string{"contoso.shop/orders", "contoso.shop/boxes/orders", "contoso.shop/carts"}, second.Types()); diff != "" {
		t.Errorf("order of arrival (-want +got):\n%s", diff)
	}
	grown := second.Find("Contoso.Shop/orders")
	if !slices.Equal(grown.Hubs, []string{"v20210101", "v20220101"}) || !slices.Equal(grown.Served, []string{"v20210101", "v20220101"}) {
		t.Errorf("hubs %q, served %q", grown.Hubs, grown.Served)
	}
	if len(grown.Model.Versions) != 3 || !slices.EqualFunc(grown.Keys[:1], e.Keys, func(a, b chain.KeyRow) bool { return bytes.Equal(appendLine(nil, a), appendLine(nil, b)) }) {
		t.Errorf("%d versions, keys %v, were %v", len(grown.Model.Versions), grown.Keys, e.Keys)
	}
	if file := second.Find("Contoso.Shop/boxes/orders").File; file != "contoso-shop/order2.txt" {
		t.Errorf("a second kind that differs by letter case only is in %s", file)
	}
	third := second.With(linked(t, second, more), all, Decisions{Served: serveLast})
	if diff := cmp.Diff(filesOf(second, all), filesOf(third, all)); diff != "" {
		t.Errorf("the same again (-was +is):\n%s", diff)
	}
	if len(first.Entries) != 1 || len(e.Hubs) != 1 {
		t.Error("the ledger that grew was changed")
	}
}

// TestWithOfSome checks that entries that a run is not about do not change.
func TestWithOfSome(t *testing.T) {
	first := new(Ledger).With(linked(t, new(Ledger), orders), all, Decisions{Served: serveLast})
	renamed := strings.ReplaceAll(orders, "2021-01-01", "2022-01-01")
	none := func(string) bool { return false }
	second := first.With(linked(t, first, renamed), none, Decisions{Served: serveLast})
	if diff := cmp.Diff(filesOf(first, all), filesOf(second, all)); diff != "" {
		t.Errorf("it changed (-was +is):\n%s", diff)
	}
	if files := filesOf(second, none); len(files) != 1 || files[0].Path != IndexFile {
		t.Errorf("of no resource there are %d files", len(files))
	}
}

// TestVersion checks that letter case is ignored in types and versions.
func TestVersion(t *testing.T) {
	l := &Ledger{Entries: []*Entry{{Model: &model.Resource{Type: "Contoso.Shop/orders", Versions: []*model.Version{{Name: "2020-01-01-preview"}}}}}}
	for _, tt := range []struct {
		reason, resource, version string
		want                      bool
	}{
		{"as spelled", "Contoso.Shop/orders", "2020-01-01-preview", true},
		{"in other letters", "CONTOSO.Shop/Orders", "2020-01-01-Preview", true},
		{"another version", "Contoso.Shop/orders", "2020-01-01", false},
		{"another resource", "Contoso.Shop/order", "2020-01-01-preview", false},
	} {
		if got := l.Version(tt.resource, tt.version) != nil; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.reason, got, tt.want)
		}
	}
}
