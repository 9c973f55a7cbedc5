package plan

import (
	"context"
	"testing"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// TestUnmoved links a property that moves, and then removes what the bags have for it. The plan
// must record that it does not apply the change, so that the run fails.
func TestUnmoved(t *testing.T) {
	resources, err := model.Parse("model", []byte(`
resource Contoso.Shop/orders
  kind Order orders
  version 2020-01-01
    spec &OrderSpec
    def OrderSpec object
      .size string
      .box &Box
    def Box object
      .kind string
  version 2021-01-01
    spec &OrderSpec
    def OrderSpec object
      .box &Box
    def Box object
      .kind string
      .size string
`))
	if err != nil {
		t.Fatal(err)
	}
	move := operation.Operation{Kind: operation.MovedTo, From: "size", To: "box.size"}
	c, problems := chain.Link(context.Background(), resources, chain.Options{
		Suffix: "example.com", Changes: []chain.Change{{Folder: "contoso-shop", Version: "2020-01-01", Type: "OrderSpec", Property: "size", Operation: move}},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	g := &grouper{
		ctx: context.Background(), group: &Group{Chain: c.Groups[0]}, hands: newHands(nil), byLabel: map[string]*Package{},
		nodes: map[nodeKey]*node{}, links: map[linkKey]*link{}, furthers: map[*chain.Place]*furthers{},
	}
	g.kinds(nil)
	g.makeNodes()
	g.linkNodes()
	found := 0
	for _, l := range g.links {
		if l.far.node.place.Moves(l.far.node.version.Index, l.near.node.version.Index) == nil {
			continue
		}
		found++
		if len(g.group.Unmoved) > 0 || len(l.derived) != 1 {
			t.Fatalf("the step applies %d changes, and %v are left", len(l.derived), g.group.Unmoved)
		}
		l.moves, l.derived = nil, nil
		g.applyMoves(l)
		if all := g.group.Unmoved; len(all) != 1 || all[0].Operation.String() != move.String() || all[0].Far.Model.Name != "2020-01-01" || len(l.derived) > 0 {
			t.Errorf("%v are not applied, and %d are", all, len(l.derived))
		}
	}
	if found != 1 {
		t.Errorf("%d steps have the change", found)
	}
}
