package migrate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Reading compares how the plan and the conversions read the stored objects of a kind. The program
// writes it.
type Reading struct {
	Kind        string       `json:"kind"`
	Stub        bool         `json:"stub,omitempty"` // set by MarkStubs
	Stored      int          `json:"stored"`
	Refused     int          `json:"refused"`
	Read        int          `json:"read"`
	Differences []Difference `json:"differences"`
}

// Difference is a property that is read differently, with the first object that shows it.
type Difference struct {
	Version string          `json:"version"`
	Path    string          `json:"path"`
	Count   int             `json:"count"`
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`
	Stored  json.RawMessage `json:"stored"`
}

// Program returns a program that compares, for all kinds with conversions, how these conversions
// and the generated API types of a plan read random objects that the conversions have stored. It
// writes the results to the file that its argument names, because conversions may print. It is
// empty if there is no such kind. l is the layout of these types.
func Program(code *Code, p *plan.Plan, l gofile.Layout, cases int) []byte {
	w := &program{File: gofile.New("main", "main"), names: map[string]string{}}
	refusal := w.Use(l.Runtime+"/genruntime", "genruntime", "IsRefusal")
	conformance := w.Use(l.Runtime+"/conformance", "conformance", "")
	w.P("func main() {")
	w.P("\tresults, err := ", w.Use("os", "os", "Create"), "(os.Args[1])")
	w.P("\tfail(err)")
	kinds := 0
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			formers := w.formers(code, k, conformance)
			if formers == nil {
				continue
			}
			kinds++
			versions := w.Use(l.Module+"/"+g.Chain.Folder, w.name(l.Module+"/"+g.Chain.Folder), "")
			w.P("\tfail(", conformance, "CompareReadings(results, ", strconv.Quote(nameOf(g, k)), ", ", strconv.Itoa(cases), ", ", fmt.Sprintf("%#v", code.Annotations), ", []", conformance, "Former{")
			for _, f := range formers {
				w.P("\t\t", f, ",")
			}
			w.P("\t}, func(version string, stored []byte) ([]byte, error) {")
			w.P("\t\tvar from ", versions, "Any", k.Name)
			w.P("\t\tif err := ", w.Use("encoding/json", "json", "Unmarshal"), "(stored, &from); err != nil {")
			w.P("\t\t\treturn nil, err")
			w.P("\t\t}")
			w.P("\t\tto, err := from.In(", versions, "Version(version))")
			w.P("\t\tif err != nil && !", refusal, "(err) {")
			w.P("\t\t\treturn nil, err")
			w.P("\t\t}")
			w.P("\t\treturn json.Marshal(to)")
			w.P("\t}))")
		}
	}
	w.P("\tfail(results.Close())")
	w.P("}")
	w.P()
	w.P("func fail(err error) {")
	w.P("\tif err != nil {")
	w.P("\t\t", w.Use("fmt", "fmt", "Fprintln"), "(os.Stderr, err)")
	w.P("\t\tos.Exit(1)")
	w.P("\t}")
	w.P("}")
	if kinds == 0 {
		return nil
	}
	return w.Bytes()
}

// program is the file that is being written.
type program struct {
	*gofile.File
	names map[string]string
}

// name returns a unique name for a package.
func (w *program) name(importPath string) string {
	if w.names[importPath] == "" {
		w.names[importPath] = "p" + strconv.Itoa(len(w.names)+1)
	}
	return w.names[importPath]
}

// formers writes the versions of a kind with their former conversions; nil for a kind that has
// none.
func (w *program) formers(code *Code, k *plan.Kind, conformance string) []string {
	var out []string
	hub := ""
	for _, kv := range k.Versions {
		root := kv.Root()
		if root == nil {
			continue
		}
		api := func(path string) string { return w.Use(path, w.name(path), k.Name) }
		i := code.of(kv, k)
		switch {
		case i >= 0 && code.Conversions[i].Hub != "":
			a, h := api(kv.Package.Own.Path), api(code.Conversions[i].Hub)
			out = append(out, fmt.Sprintf("%sFormerVersion(%q, func(a *%s, h *%s) error { return a.ConvertTo(h) }, func(a *%s, h *%s) error { return a.ConvertFrom(h) })",
				conformance, kv.Version.Label, a, h, a, h))
		case slices.Contains(code.Hubs, kv.Package.Own.Path+"."+k.Name):
			hub = fmt.Sprintf("%sFormerHub[%s](%q)", conformance, api(kv.Package.Own.Path), kv.Version.Label)
		}
	}
	if hub == "" || out == nil {
		return nil
	}
	return append(out, hub)
}

// MarkStubs marks the readings of kinds whose conversions copy only metadata in all versions. They
// lose all else, so that differences are no reason to preserve them.
func MarkStubs(readings []Reading, code *Code, p *plan.Plan) {
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			if !isStub(code, k) {
				continue
			}
			for i := range readings {
				readings[i].Stub = readings[i].Stub || readings[i].Kind == nameOf(g, k)
			}
		}
	}
}

// isStub reports whether all conversions of a kind are stubs.
func isStub(code *Code, k *plan.Kind) bool {
	return !slices.ContainsFunc(k.Versions, func(v *plan.KindVersion) bool {
		i := code.of(v, k)
		return i >= 0 && !code.Conversions[i].Stub
	})
}

// nameOf returns the name of a kind in readings.
func nameOf(g *plan.Group, k *plan.Kind) string { return g.Chain.Name + "/" + k.Name }

// of returns the index of the conversion of a version of a kind; -1 for none.
func (code *Code) of(v *plan.KindVersion, k *plan.Kind) int {
	return slices.IndexFunc(code.Conversions, func(c Conversion) bool { return c.Package == v.Package.Own.Path && c.Kind == k.Name })
}

// ParseReadings parses the results of the program.
func ParseReadings(text []byte) ([]Reading, error) {
	var out []Reading
	for line := range strings.Lines(string(text)) {
		var r Reading
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("read the comparison: %w", err)
		}
		out = append(out, r)
	}
	return out, nil
}
