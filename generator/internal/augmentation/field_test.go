package augmentation_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

// TestInnermost checks that a type that encodes itself is the innermost, and that recursion ends.
func TestInnermost(t *testing.T) {
	const source = `package p
type Port struct{ Number int }
type Ports map[string]*[]Port
type Opaque []Port
func (Opaque) MarshalJSON() ([]byte, error) { return nil, nil }
type Text map[string]Port
func (*Text) MarshalText() ([]byte, error) { return nil, nil }
type Tree []Tree
type Loop map[string]*Loop
var (
	Scalar  int
	List    []Port
	Nested  map[string][]*Port
	Named   *Ports
	Own     []Opaque
	OwnText *Text
	Trees   []Tree
	Loops   Loop
)`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Scalar": "int", "List": "Port", "Nested": "Port", "Named": "Port", "Own": "Opaque", "OwnText": "Text", "Trees": "Tree", "Loops": "Loop",
	} {
		got := augmentation.Innermost(p.Scope().Lookup(name).Type())
		if got := types.TypeString(got, types.RelativeTo(p)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := augmentation.Innermost(nil); got != nil {
		t.Errorf("of nothing it is %v", got)
	}
}
