package gotest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Kind writes the generated tests of one resource: one test that checks all laws for all its
// versions, and golden files if there are hand-written steps.
func Kind(l gofile.Layout, k *plan.Kind) *gofile.File {
	w := &writer{l.Tests(k.Group)}
	w.Note = "Source: " + k.Resource.Model.Type
	augmented := w.kind(k)
	w.P("\t", w.conformance("Prove"), "(t, kind)")
	if augmented && slices.ContainsFunc(k.Group.Packages, byHand) {
		w.P("\t", w.conformance("Golden"), "(t, kind)")
	}
	w.P("}")
	return w.File
}

type writer struct{ *gofile.Go }

func (w *writer) conformance(ident string) string {
	return w.Use(w.Layout.Runtime+"/conformance", "conformance", ident)
}

// kind writes the versions of a resource. It reports whether hand-written steps or functions
// complete any of them.
func (w *writer) kind(k *plan.Kind) (augmented bool) {
	w.P("// Test", k.Name, " checks the laws for ", k.Resource.Model.Type, " in all versions.")
	w.P("func Test", k.Name, "(t *", w.Use("testing", "testing", "T"), ") {")
	w.P("\tkind := ", w.conformance("Kind"), "(", strconv.Quote(k.Resource.Model.Type), ",")
	for _, kv := range k.Versions {
		w.version(kv)
	}
	end := "\t)" + w.json(k) + w.forgiving(k) + w.own(k)
	for _, kv := range completed(k) {
		live, inBag := augmentedPaths(kv)
		augmented = augmented || len(live)+len(inBag) > 0
		end += augmentedAt("Augmented", kv, live) + augmentedAt("AugmentedInBag", kv, inBag)
	}
	w.P(end)
	return augmented
}

// json states that objects convert by the JSON plans of a kind; empty if there are none.
func (w *writer) json(k *plan.Kind) string {
	if !slices.ContainsFunc(k.Versions, func(kv *plan.KindVersion) bool { return kv.JSONPlan != nil }) {
		return ""
	}
	return ".JSON(" + w.Convert("Planned") + "(" + strconv.Quote(k.Group.Chain.Name) + ", " + strconv.Quote(k.Name) + ", " +
		w.Group(k.Group, "AddToScheme") + "))"
}

// forgiving states that steps may refuse a value, and that a spec or status alone may have an
// integer that a version cannot represent; empty if neither is possible.
func (w *writer) forgiving(k *plan.Kind) (out string) {
	if slices.ContainsFunc(k.Group.Packages, byFunctions) || slices.ContainsFunc(k.Group.Packages, byHand) {
		out = ".Forgiving(" + w.Genruntime("IsRefusal") + ")"
	}
	if slices.ContainsFunc(k.Versions, func(kv *plan.KindVersion) bool { return kv.HasIntegers && kv.Narrow }) {
		out += ".Narrow(" + w.Genruntime("IsUnrepresentable") + ")"
	}
	return out
}

// own states that the author wrote API types; empty if they are generated.
func (w *writer) own(k *plan.Kind) string {
	if !slices.ContainsFunc(k.Group.Packages, (*plan.Package).IsOwn) {
		return ""
	}
	return ".Own()"
}

// version writes a version and its step to the neighbour.
func (w *writer) version(kv *plan.KindVersion) {
	name := kv.Kind.Name
	root := func() string { return "[*" + w.API(kv.Package, name) + "]" } // imports it
	label := strconv.Quote(kv.Version.Label)
	next := kv.Next()
	if next == nil {
		w.P("\t\t", w.conformance("Hub"), root(), "(", label, "),")
		return
	}
	step := func(d plan.Direction) string {
		if kv.IsForTests(next) {
			return kv.Function(d, next)
		}
		return w.Storage(kv.Package, kv.Function(d, next))
	}
	if kv.Package.Pruned() {
		w.P("\t\t", w.conformance("Stored"), "(", label, ", ", step(plan.Up), ", ", step(plan.Down), "),")
		return
	}
	w.P("\t\t", w.conformance("Root"), root(), "(", label, ", ", step(plan.Up), ", ", step(plan.Down), "),")
}

// augmentedAt states the paths at which a version is augmented; empty if there are none.
func augmentedAt(method string, kv *plan.KindVersion, paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return "." + method + "(" + strings.Join(quoted(kv.Version.Label, paths), ", ") + ")"
}

func quoted(label string, paths []string) []string {
	out := []string{strconv.Quote(label)}
	for _, path := range paths {
		out = append(out, strconv.Quote(path))
	}
	return out
}
