package plan_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/plan"
)

// goTypes are an author's API types of a version: the fields of structs by their names. Each
// field consists of words, which are its JSON name and its type.
type goTypes map[string]string

// source is a Go package with the structs.
func (g goTypes) source(label string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport \"example.com/shared\"\n\nvar _ shared.Code\n", label)
	for name, fields := range g {
		fmt.Fprintf(&b, "type %s struct {\n", name)
		for field := range strings.SplitSeq(fields, ", ") {
			jsonName, typ, _ := strings.Cut(field, " ")
			fmt.Fprintf(&b, "\t%s %s `json:%q`\n", strings.ToUpper(jsonName[:1])+jsonName[1:], typ, jsonName)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// shared has types that define their JSON in code.
const shared = `package shared

type Code struct{ Size int32 }

func (Code) MarshalJSON() ([]byte, error) { return nil, nil }

type Codes []int32

func (Codes) MarshalText() ([]byte, error) { return nil, nil }
`

// imported are packages that were checked before.
type imported map[string]*types.Package

func (i imported) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return importer.Default().Import(path)
}

func checked(t *testing.T, path, text string, others imported) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "types.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := (&types.Config{Importer: others}).Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ownPackage returns an author's package with the types of carts in a version.
func ownPackage(t *testing.T, version string, g goTypes, others imported) *augmentation.Package {
	t.Helper()
	p := checked(t, "example.com/"+version, g.source(version), others)
	member := func(name string) *augmentation.Member {
		if o := p.Scope().Lookup(name); o != nil {
			return &augmentation.Member{Name: name, Type: o.Type()}
		}
		return nil
	}
	root := &augmentation.Root{Type: "microsoft.shop/CARTS", Version: version, Spec: member("CartSpec"), Status: member("CartStatus")}
	return &augmentation.Package{Path: p.Path(), Name: version, Types: p, Roots: []*augmentation.Root{root}}
}

// planOfOwn plans a model, some of whose versions have an author's types.
func planOfOwn(t *testing.T, text string, opts chain.Options, versions map[string]goTypes) *plan.Group {
	t.Helper()
	c, problems := chain.Link(context.Background(), resourcesOf(t, text), opts)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	others := imported{}
	others["example.com/shared"] = checked(t, "example.com/shared", shared, others)
	var packages []*augmentation.Package
	for _, version := range []string{"v1", "v2", "v3"} {
		if g := versions[version]; g != nil {
			packages = append(packages, ownPackage(t, version, g, others))
		}
	}
	return plan.Decide(context.Background(), c, plan.Options{Own: packages}).Groups[0]
}

// cartsOf3 has three versions of carts. Only the first has the property gone, and only the last
// calls the size of a lid width.
var cartsOf3 = "resource Microsoft.Shop/carts\n  kind Cart carts\n" +
	cartsIn("v1", "      .gone int\n", "size") + cartsIn("v2", "", "size") + cartsIn("v3", "", "width")

// cartsIn returns a version of carts with additional members, and with the given name of a lid's
// size.
func cartsIn(version, more, lidSize string) string {
	return fmt.Sprintf(`  version %s
    spec &CartSpec
    def CartSpec object
      .name string
      .size int
      .ratio number
      .code any
%s      .box &Box
      .list list &Box
      .dict map map &Box
      .lid &Lid
    def Box object
      .size int
      .inner &Box
    def Lid object
      .%s int
`, version, more, lidSize)
}

// TestNarrowTypes checks that versions have no JSON plan if an author's type has a smaller range
// than the hub's.
func TestNarrowTypes(t *testing.T) {
	wide := goTypes{"CartSpec": "size int64"}
	boxes := func(member, size string) goTypes {
		return goTypes{"CartSpec": member, "Box": "size " + size + ", inner *Box", "Lid": "width " + size + ", size " + size}
	}
	for _, test := range []struct {
		reason     string
		v1, v2, v3 goTypes // nil is generated
		narrow     string
	}{
		{"the same types", wide, wide, wide, ""},
		{"types that are generated", nil, nil, nil, ""},
		{"a narrower integer", goTypes{"CartSpec": "size int32"}, nil, wide, "v1"},
		{"a narrower integer than a generated one", goTypes{"CartSpec": "size int32"}, nil, nil, "v1"},
		{"behind a generated version", nil, goTypes{"CartSpec": "size int32"}, nil, "v2"},
		{"integers that are narrow in the hub, too, but not between", goTypes{"CartSpec": "size int32"}, wide, goTypes{"CartSpec": "size int32"}, "v1 v3"},
		{"integers that are equally narrow everywhere", goTypes{"CartSpec": "size int32"}, goTypes{"CartSpec": "size int32"}, goTypes{"CartSpec": "size int32"}, ""},
		{"narrower in another way", goTypes{"CartSpec": "size int32"}, goTypes{"CartSpec": "size uint32"}, goTypes{"CartSpec": "size uint32"}, "v1 v2 v3"},
		{"integers as wide", goTypes{"CartSpec": "size *int"}, goTypes{"CartSpec": "size int64"}, wide, ""},
		{"texts and truths", goTypes{"CartSpec": "name string, ratio float64"}, nil, nil, ""},
		{"a narrower number", goTypes{"CartSpec": "ratio float32"}, nil, nil, "v1"},
		{"behind a member that the types lack", goTypes{"CartSpec": "ratio *float32"}, nil, wide, "v1"},
		{"a member that the hub lacks", goTypes{"CartSpec": "gone int32"}, nil, wide, ""},
		{"in an object", boxes("box *Box", "int32"), boxes("box *Box", "int64"), boxes("box *Box", "int64"), "v1"},
		{"in an object of a generated hub", boxes("box Box", "int32"), nil, nil, "v1"},
		{"in a list", boxes("list []Box", "int32"), nil, boxes("list []Box", "int64"), "v1"},
		{"in maps of maps", boxes("dict map[string]map[string]*Box", "int32"), nil, boxes("dict map[string]map[string]*Box", "int64"), "v1"},
		{"objects as wide, of themselves", boxes("box *Box", "int64"), nil, boxes("box *Box", "int64"), ""},
		{"behind a rename, stored as the next version has it", boxes("lid *Lid", "int32"), boxes("lid *Lid", "int64"), boxes("lid *Lid", "int64"), "v1"},
		{"a type that encodes itself", goTypes{"CartSpec": "code shared.Code"}, wide, goTypes{"CartSpec": "code *shared.Code"}, ""},
		{"which the hub has not", goTypes{"CartSpec": "code shared.Code"}, wide, wide, "v1"},
		{"an object that encodes itself", goTypes{"CartSpec": "box shared.Code"}, wide, goTypes{"CartSpec": "box shared.Code"}, ""},
		{"a list that encodes itself", goTypes{"CartSpec": "code shared.Codes"}, wide, goTypes{"CartSpec": "code []int32"}, "v1 v3"},
		{"in the status", goTypes{"CartSpec": "size int64", "CartStatus": "size int32"}, wide, goTypes{"CartSpec": "size int64", "CartStatus": "size int64"}, "v1"},
		{"in a status that the hub has generated", goTypes{"CartSpec": "size int64", "CartStatus": "size int32"}, wide, wide, "v1"},
		{"as wide in the status", goTypes{"CartSpec": "size int64", "CartStatus": "size int64"}, wide, goTypes{"CartSpec": "size int64", "CartStatus": "size int32"}, "v3"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := planOfOwn(t, cartsOf3, chain.Options{Renames: []chain.Rename{{Folder: "shop", Version: "v2", Type: "Lid", Property: "size", To: "width"}}},
				map[string]goTypes{"v1": test.v1, "v2": test.v2, "v3": test.v3})
			var narrow []string
			for _, kv := range g.Kinds[0].Versions {
				if kv.JSONPlan == nil {
					narrow = append(narrow, kv.Version.Label)
				}
			}
			if diff := cmp.Diff(test.narrow, strings.Join(narrow, " ")); diff != "" {
				t.Errorf("versions without a JSON plan (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOwnPackages checks that authors' packages are assigned to their versions, and that the
// resources that they lack are named.
func TestOwnPackages(t *testing.T) {
	others := ""
	for _, kind := range []string{"Shelf", "Box"} {
		others += strings.ReplaceAll(strings.ReplaceAll(cartsOf3, "Cart", kind), "carts", strings.ToLower(kind)+"s")
	}
	g := planOfOwn(t, cartsOf3+others, chain.Options{Renames: nil}, map[string]goTypes{"v2": {"CartSpec": "size int64"}})
	for _, p := range g.Packages {
		var want []string
		if p.Label == "v2" {
			want = []string{"Box", "Shelf"}
		}
		if !slices.Equal(p.Strays(), want) || p.IsOwn() != (want != nil) {
			t.Errorf("%s is people's: %t, and lacks %q, want %q", p.Label, p.IsOwn(), p.Strays(), want)
		}
	}
}
