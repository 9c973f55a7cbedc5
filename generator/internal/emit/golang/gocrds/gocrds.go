package gocrds

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
)

// File is the name of the printed file, in the folder of the CRDs.
const File = "crds.go"

// CRD is a CRD of the package.
type CRD struct {
	// Name is plural.group. Path is the path of its manifest.
	Name, Path string
	// Storable are the versions that a cluster can persist: the hub's, and then those of former
	// hubs.
	Storable []string
}

// Package prints the package of the CRDs, of which there is at least one. All of their files are
// in one folder.
func Package(l gofile.Layout, crds []CRD) []byte {
	crds = slices.Clone(crds)
	slices.SortFunc(crds, func(a, b CRD) int { return strings.Compare(a.Name, b.Name) })
	w := &gofile.Go{File: gofile.New(l.Module+"/"+path.Dir(crds[0].Path), "crds"), Layout: l}
	w.Doc = "Package crds has the CRDs of all kinds as values, for tests and for programs that install them."
	table(w, crds)
	functions(w)
	return w.Bytes()
}

// table prints the embedded files, and which versions of each CRD a cluster can persist.
func table(w *gofile.Go, crds []CRD) {
	w.P("//go:embed *.yaml")
	w.P("var files ", w.Use("embed", "embed", "FS"))
	w.P()
	w.P("// known are the CRDs: name, file, and the versions that a cluster can persist, the hub's first.")
	w.P("var known = []struct {")
	w.P("\tname, file string")
	w.P("\tstorable   []string")
	w.P("}{")
	for _, c := range crds {
		var storable []string
		for _, v := range c.Storable {
			storable = append(storable, strconv.Quote(v))
		}
		w.P("\t{", strconv.Quote(c.Name), ", ", strconv.Quote(path.Base(c.Path)), ", []string{", strings.Join(storable, ", "), "}},")
	}
	w.P("}")
	w.P()
}

// functions prints the functions that users call.
func functions(w *gofile.Go) {
	typ := w.Use("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "apiextensions", "CustomResourceDefinition")
	errorf := w.Use("fmt", "fmt", "Errorf")
	w.P("// CRDs returns the CRDs of all kinds, sorted by name. The stored version is that of the hub.")
	w.P("func CRDs() ([]*", typ, ", error) {")
	w.P("\tvar out []*", typ)
	w.P("\tfor _, k := range known {")
	w.P("\t\tcrd, err := CRD(k.name, \"\")")
	w.P("\t\tif err != nil {")
	w.P("\t\t\treturn nil, err")
	w.P("\t\t}")
	w.P("\t\tout = append(out, crd)")
	w.P("\t}")
	w.P("\treturn out, nil")
	w.P("}")
	w.P()
	w.P("// CRD returns the CRD of a name, such as ", "things.example.com. The stored version is one of Storable; empty for")
	w.P("// that of the hub.")
	w.P("func CRD(name, stored string) (*", typ, ", error) {")
	w.P("\tfor _, k := range known {")
	w.P("\t\tif k.name != name {")
	w.P("\t\t\tcontinue")
	w.P("\t\t}")
	w.P("\t\tif stored == \"\" {")
	w.P("\t\t\tstored = k.storable[0]")
	w.P("\t\t}")
	w.P("\t\tif !", w.Use("slices", "slices", "Contains"), "(k.storable, stored) {")
	w.P("\t\t\treturn nil, ", errorf, "(\"%s cannot store version %q, only %q\", name, stored, k.storable)")
	w.P("\t\t}")
	w.P("\t\tbody, err := files.ReadFile(k.file)")
	w.P("\t\tif err != nil {")
	w.P("\t\t\treturn nil, err")
	w.P("\t\t}")
	w.P("\t\tvar crd ", typ)
	w.P("\t\tif err := ", w.Use("sigs.k8s.io/yaml", "yaml", "UnmarshalStrict"), "(body, &crd); err != nil {")
	w.P("\t\t\treturn nil, ", errorf, "(\"read %s: %w\", k.file, err)")
	w.P("\t\t}")
	w.P("\t\tfor i := range crd.Spec.Versions {")
	w.P("\t\t\tcrd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == stored")
	w.P("\t\t}")
	w.P("\t\treturn &crd, nil")
	w.P("\t}")
	w.P("\treturn nil, ", errorf, "(\"there is no CRD %q\", name)")
	w.P("}")
	w.P()
	w.P("// Storable returns the versions of a CRD that a cluster can persist: that of the hub, and then those of")
	w.P("// former hubs. Other versions cannot represent all values. It returns nil if there is no such CRD.")
	w.P("func Storable(name string) []string {")
	w.P("\tfor _, k := range known {")
	w.P("\t\tif k.name == name {")
	w.P("\t\t\treturn slices.Clone(k.storable)")
	w.P("\t\t}")
	w.P("\t}")
	w.P("\treturn nil")
	w.P("}")
}
