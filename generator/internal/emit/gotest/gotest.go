package gotest

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Kind writes the proofs of one resource: every version through the hub and
// back, and every step between storage types.
func Kind(l gofile.Layout, k *plan.Kind) *gofile.File {
	w := &writer{l.Tests(k.Group)}
	w.Note = "Source: " + k.Resource.Model.Type
	w.spokes(k)
	w.steps(k)
	return w.File
}

type writer struct{ *gofile.Go }

func (w *writer) conformance(ident string) string {
	return w.Use(w.Layout.Runtime+"/conformance", "conformance", ident)
}

func (w *writer) begin(name string, k *plan.Kind) {
	w.P("func Test", name, "(t *", w.Use("testing", "testing", "T"), ") {")
	w.P("\t", w.conformance("Run"), "(t, ", w.conformance("Resource"), "(", strconv.Quote(k.Resource.Model.Type), ",")
}

// spokes proves the spoke law of every version.
func (w *writer) spokes(k *plan.Kind) {
	hub := w.Storage(k.Hub().Package, k.Name)
	w.P("// Test", k.Name, " proves that every version survives the way to the hub and back.")
	w.begin(k.Name, k)
	for _, kv := range k.Versions {
		root := "(*" + w.API(kv.Package, k.Name) + ")"
		w.P("\t\t", w.conformance("Root"), "[", hub, "](", strconv.Quote(kv.Version.Label), ", ", root, ".ConvertTo, ", root, ".ConvertFrom),")
	}
	w.P("\t).Ignore(\"Status.PropertyBag\"))")
	w.P("}")
}

// steps proves the same of every step between storage types; the hub's storage
// type is proved alone.
func (w *writer) steps(k *plan.Kind) {
	w.P()
	w.P("// Test", k.Name, "Steps proves that every storage type survives the step to its neighbour and back.")
	w.begin(k.Name+"Steps", k)
	for _, kv := range k.Versions {
		next := kv.Next()
		if next == nil {
			w.P("\t\t", w.conformance("Type"), "[", w.Storage(kv.Package, k.Name), "](", strconv.Quote(kv.Version.Label+"storage"), "),")
			continue
		}
		step := func(direction string) string {
			return w.Storage(kv.Package, "Convert"+k.Name+direction+"V"+next.Package.Label[1:])
		}
		w.P("\t\t", w.conformance("Step"), "(", strconv.Quote(kv.Version.Label+"storage"), ", ", step("To"), ", ", step("From"), "),")
	}
	w.P("\t))")
	w.P("}")
}
