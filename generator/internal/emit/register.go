package emit

import (
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/emit/golang/gotypes"
	"github.com/stratakube/strata/generator/internal/plan"
)

// registerGroup writes the registration of a group: its API versions, and the storage versions
// that are or have been hubs.
func registerGroup(l gofile.Layout, g *plan.Group) *gofile.File {
	w := &gofile.Go{File: gofile.New(l.Module+"/"+g.Chain.Folder, gofile.PackageName(g.Chain.Folder)), Layout: l}
	w.Doc = "Package " + gofile.PackageName(g.Chain.Folder) + " registers all versions of " + g.Chain.Name + "."
	w.P("// AddToScheme registers all API types of the group, and its hubs.")
	w.P("func AddToScheme(s *", w.Machinery("Scheme"), ") error {")
	w.P("\treturn ", w.Runtime("AddToScheme"), "(s,")
	for _, p := range g.Packages {
		if !p.Pruned() {
			w.P("\t\t", w.API(p, registration(p)), ",")
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

// registration returns the name of the function that registers the API types of a package.
func registration(p *plan.Package) string {
	if p.IsOwn() {
		return plan.Registration
	}
	return "AddToScheme"
}

// registerAll writes the registration of all groups.
func registerAll(l gofile.Layout, groups []*plan.Group) *gofile.File {
	name := gofile.PackageName(lastSegment(l.Module))
	w := &gofile.Go{File: gofile.New(l.Module, name), Layout: l}
	w.Doc = "Package " + name + " registers all groups."
	w.P("// AddToScheme registers all versions of all groups.")
	w.P("func AddToScheme(s *", w.Machinery("Scheme"), ") error {")
	w.P("\treturn ", w.Runtime("AddToScheme"), "(s,")
	for _, g := range groups {
		w.P("\t\t", w.Group(g, "AddToScheme"), ",")
	}
	w.P("\t)")
	w.P("}")
	return w.File
}

func lastSegment(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
