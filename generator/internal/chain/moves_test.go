package chain

import (
	"context"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// TestMovesOfLeaf asks for the changes between a preview and its neighbour in both directions. They
// are the same, and their operations are inverse.
func TestMovesOfLeaf(t *testing.T) {
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
  version 2021-01-01-preview
    spec &OrderSpec
    def OrderSpec object
      .box &Box
    def Box object
      .kind string
      .size string
  version 2022-01-01
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
	c, problems := Link(context.Background(), resources, Options{
		Suffix: "example.com", Changes: []Change{{
			Folder: "contoso-shop", Version: "2020-01-01", Type: "OrderSpec", Property: "size", In: "2021-01-01-preview",
			Operation: operation.Operation{Kind: operation.MovedTo, From: "size", To: "box.size"},
		}},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r := c.Groups[0].Resources[0]
	var stable, leaf int
	for _, v := range r.Versions {
		switch v.Model.Name {
		case "2020-01-01":
			stable = v.Index
		case "2021-01-01-preview":
			leaf = v.Index
			if !v.Leaf {
				t.Fatal("the preview is no leaf")
			}
		}
	}
	out, back := r.Root.Moves(leaf, stable), r.Root.Moves(stable, leaf)
	if len(out) != 1 || len(back) != 1 {
		t.Fatalf("%d changes towards the hub and %d back, want one each", len(out), len(back))
	}
	if !out[0].Operation.Is(back[0].Operation.Inverse()) || out[0].Operation.Is(back[0].Operation) {
		t.Errorf("%v and %v are not inverse", out[0].Operation, back[0].Operation)
	}
	if len(back[0].Far) != 1 || len(back[0].Near) != 2 || back[0].Far[0] != out[0].Near[0] || back[0].Near[1] != out[0].Far[1] {
		t.Errorf("the paths are not exchanged: %v, %v", out[0], back[0])
	}
}
