package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// versions writes the types with which authors of an API handle all versions. These are the
// versions of a group as a type and, for each kind, a type that stores an object of any version.
// Groups of other sources have none.
func versions(l gofile.Layout, g *plan.Group) *gofile.File {
	w := &versionWriter{&gofile.Go{File: gofile.New(l.Module+"/"+g.Chain.Folder, gofile.PackageName(g.Chain.Folder)), Layout: l}}
	packages := writable(g)
	if len(packages) == 0 || !slices.ContainsFunc(g.Kinds, func(k *plan.Kind) bool { return k.HasHelpers }) {
		return w.File
	}
	w.enumeration(g, packages)
	for _, k := range g.Kinds {
		if k.HasHelpers {
			w.sum(k)
		}
	}
	return w.File
}

// writable returns the packages with API types, the earliest version first.
func writable(g *plan.Group) []*plan.Package {
	out := slices.DeleteFunc(slices.Clone(g.Packages), (*plan.Package).Pruned)
	slices.SortStableFunc(out, func(a, b *plan.Package) int { return chain.Compare(a.Label, b.Label) })
	return out
}

type versionWriter struct{ *gofile.Go }

// constant returns the name of a version's constant.
func constant(p *plan.Package) string { return strings.ToUpper(p.Label[:1]) + p.Label[1:] }

func (w *versionWriter) enumeration(g *plan.Group, packages []*plan.Package) {
	w.P("// Version is a version of ", g.Chain.Name, ".")
	w.P("type Version string")
	w.P()
	w.P("// The versions, the earliest first.")
	w.P("const (")
	var rows [][3]string
	var names []string
	for _, p := range packages {
		rows = append(rows, [3]string{constant(p), "Version", "= " + strconv.Quote(p.Label)})
		names = append(names, constant(p))
	}
	w.Columns(rows)
	w.P(")")
	w.P()
	w.P("// Versions are all versions, the earliest first.")
	w.Func("func Versions() []Version", "return []Version{"+strings.Join(names, ", ")+"}")
	w.P()
	w.P("// ParseVersion reads the name of a version.")
	w.Func("func ParseVersion(name string) (Version, error)", "return "+w.Genruntime("ParseVersion")+"(name, Versions()...)")
	w.P()
	w.P("// String is the version's name.")
	w.Func("func (v Version) String() string", "return string(v)")
	w.P()
	w.P("// Object is an object of any version of a kind.")
	w.P("type Object interface {")
	w.P("\t", w.Meta("Object"))
	w.P("\t", w.Conversion("Convertible"))
	w.P("}")
}

// sum writes the type that stores an object of any version of a kind.
func (w *versionWriter) sum(k *plan.Kind) {
	any := "Any" + k.Name
	var all []*plan.KindVersion
	for _, kv := range k.Versions {
		if !kv.Package.Pruned() && kv.HasHelper {
			all = append(all, kv)
		}
	}
	w.P()
	w.P("// ", any, " holds a ", k.Name, " of any version: one of the members is set.")
	w.P("type ", any, " struct {")
	var rows [][3]string
	for _, kv := range all {
		rows = append(rows, [3]string{constant(kv.Package), "*" + w.API(kv.Package, k.Name), ""})
	}
	w.members(rows)
	w.P("}")
	w.object(any, all)
	w.empty(any, k, all)
	w.P()
	w.P("// In is the object in another version.")
	w.P("func (a ", any, ") In(version Version) (", any, ", error) {")
	w.P("\tout, err := New", any, "(version)")
	w.P("\tif err == nil {")
	w.P("\t\terr = ", w.Genruntime("ThroughHub"), "(", w.Conversion("Hub"), "(new(", w.Storage(k.Hub().Package, k.Name), ")), a.Object(), out.Object())")
	w.P("\t}")
	w.P("\treturn out, err")
	w.P("}")
	w.P()
	w.P("// MarshalJSON writes the object.")
	w.Func("func (a "+any+") MarshalJSON() ([]byte, error)", "return "+w.Use("encoding/json", "json", "Marshal")+"(a.Object())")
	w.P()
	w.P("// UnmarshalJSON reads an object of the version that it names.")
	w.P("func (a *", any, ") UnmarshalJSON(data []byte) (err error) {")
	w.P("\t*a, err = ", w.Genruntime("UnmarshalVersioned"), "(data, New", any, ", ", any, ".Object)")
	w.P("\treturn err")
	w.P("}")
}

// members writes the members of a struct, aligned.
func (w *versionWriter) members(rows [][3]string) {
	widest := 0
	for _, r := range rows {
		widest = max(widest, len(r[0]))
	}
	for _, r := range rows {
		w.P("\t", r[0], strings.Repeat(" ", widest-len(r[0])+1), r[1])
	}
}

func (w *versionWriter) object(any string, all []*plan.KindVersion) {
	w.P()
	w.P("// Object is the object, nil if there is none.")
	w.P("func (a ", any, ") Object() ", "Object", " {")
	w.P("\tswitch {")
	for _, kv := range all {
		w.P("\tcase a.", constant(kv.Package), " != nil:")
		w.P("\t\treturn a.", constant(kv.Package))
	}
	w.P("\t}")
	w.P("\treturn nil")
	w.P("}")
}

func (w *versionWriter) empty(any string, k *plan.Kind, all []*plan.KindVersion) {
	w.P()
	w.P("// New", any, " holds a blank ", k.Name, " of a version.")
	w.P("func New", any, "(version Version) (a ", any, ", err error) {")
	w.P("\tswitch version {")
	for _, kv := range all {
		w.P("\tcase ", constant(kv.Package), ":")
		w.P("\t\ta.", constant(kv.Package), " = new(", w.API(kv.Package, k.Name), ")")
	}
	w.P("\tdefault:")
	w.P("\t\t_, err = ", w.Genruntime("ParseVersion"), "(string(version), Versions()...)")
	w.P("\t}")
	w.P("\treturn a, err")
	w.P("}")
}
