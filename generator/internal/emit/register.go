package emit

import (
	"go/token"

	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/emit/gotypes"
	"github.com/stratakube/strata/generator/internal/plan"
)

// registerGroup writes the registration of a group: its API versions and the
// storage versions that are or have been hubs.
func registerGroup(l gofile.Layout, g *plan.Group) *gofile.File {
	w := &gofile.Go{File: gofile.New(l.Module+"/"+g.Chain.Folder, packageName(g.Chain.Folder)), Layout: l}
	w.Doc = "Package " + packageName(g.Chain.Folder) + " registers all versions of " + g.Chain.Name + "."
	w.P("// AddToScheme registers all API types of the group, and its hubs.")
	w.P("func AddToScheme(s *", w.Machinery("Scheme"), ") error {")
	w.P("\treturn ", w.Runtime("AddToScheme"), "(s,")
	for _, p := range g.Packages {
		if !p.Pruned() {
			w.P("\t\t", w.API(p, "AddToScheme"), ",")
		}
	}
	for _, p := range g.Packages {
		if gotypes.HasHub(p) {
			w.P("\t\t", w.Storage(p, "AddToScheme"), ",")
		}
	}
	w.P("\t)")
	w.P("}")
	return w.File
}

// registerAll writes the registration of all groups.
func registerAll(l gofile.Layout, groups []*plan.Group) *gofile.File {
	name := packageName(lastSegment(l.Module))
	w := &gofile.Go{File: gofile.New(l.Module, name), Layout: l}
	w.Doc = "Package " + name + " registers all groups."
	w.P("// AddToScheme registers all versions of all groups.")
	w.P("func AddToScheme(s *", w.Machinery("Scheme"), ") error {")
	w.P("\treturn ", w.Runtime("AddToScheme"), "(s,")
	for _, g := range groups {
		w.P("\t\t", w.Use(l.Module+"/"+g.Chain.Folder, packageName(g.Chain.Folder), "AddToScheme"), ",")
	}
	w.P("\t)")
	w.P("}")
	return w.File
}

// packageName makes a Go package name of a folder's: one that can be imported
// beside the runtime.
func packageName(folder string) string {
	var b []byte
	for i := range len(folder) {
		c := folder[i]
		if c >= 'a' && c <= 'z' || len(b) > 0 && c >= '0' && c <= '9' {
			b = append(b, c)
		}
	}
	name := string(b)
	switch {
	case name == "":
		return "group"
	case token.IsKeyword(name), name == "main", name == "runtime", name == "k8sruntime":
		return name + "group"
	}
	return name
}

func lastSegment(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
