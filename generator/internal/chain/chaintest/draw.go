package chaintest

import (
	"fmt"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/model"
)

// Plain are names of properties. They are few, so that several versions have the same ones.
var Plain = []string{"a", "b", "c", "d", "A"}

// Odd are names that may cause problems in Go, JSON tags or generated code.
var Odd = []string{
	"type", "kind", "apiVersion", "metadata", "spec", "status", "name", "Name", "5qi", "@odata.type", "$ref", "a-b", "a_b", "aB",
	"additionalProperties", "deepCopy", "deepCopyInto", "marshalJSON", "convertToStorage", "hub", "err", "ünïcode", "- x", "-", "123", "_", "foo", "fooErr",
}

// OddNested are further odd names, which the root of a resource must not have.
var OddNested = []string{"propertyBag", "owner", "conditions", "azureName", "originalVersion"}

// Options bound the resources that are generated.
type Options struct {
	Names     []string // of properties
	Nested    []string // of properties of nested objects, in addition to Names
	Resources int      // maximum
	Versions  int      // maximum for each resource
	Statuses  bool     // some versions have a status that does not mirror the spec
}

var versionNames = []string{
	"2011-01-01-preview", "2011-01-01", "2012-02-02", "2013-03-03-preview", "2013-03-03",
	"2014-04-04-preview", "2015-05-05", "2016-06-06-preview", "2016-06-06-beta", "2017-07-07",
}

// Resources generates resources of one provider, which share types and versions.
func Resources(t *rapid.T, o Options) []*model.Resource {
	a := &author{T: t, Options: o, types: map[string]map[string]string{}}
	var text strings.Builder
	for i := range rapid.IntRange(1, o.Resources).Draw(t, "resources") {
		a.resource(&text, "Thing"+strings.Repeat("s", i))
	}
	return Parse(t, text.String())
}

// Parse parses refined models. Each version has the definitions that it reaches.
func Parse(t interface{ Fatalf(string, ...any) }, text string) []*model.Resource {
	out, err := model.Parse("drawn", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, r := range out {
		for _, v := range r.Versions {
			v.Defs = model.Closure(v.Spec, v.Status)
		}
	}
	return out
}

// An author writes random models in the text notation.
type author struct {
	*rapid.T
	Options
	types map[string]map[string]string // by version and name: the types that resources share
}

var typeNames = []string{"X", "Y", "Z"}

func (a *author) resource(text *strings.Builder, kind string) {
	fmt.Fprintf(text, "resource A/%s\n  kind %s %s\n", kind, kind, strings.ToLower(kind))
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(versionNames), 1, a.Versions, rapid.ID).Draw(a.T, "versions")
	last := map[string]string{}
	for _, name := range names {
		fmt.Fprintf(text, "  version %s\n    spec &%sSpec\n", name, kind)
		if a.Statuses && a.chance(1) {
			fmt.Fprintf(text, "    status &%sStatus\n    def %[1]sStatus object\n%s", kind, a.evolve(last, "Status", a.Names))
		}
		fmt.Fprintf(text, "    def %sSpec object\n%s", kind, a.evolve(last, "Spec", a.Names))
		for _, typ := range typeNames {
			fmt.Fprintf(text, "    def %s object\n%s", typ, a.shared(name, typ, last))
		}
	}
}

// shared returns a type of a version, in most cases the same for all resources.
func (a *author) shared(version, typ string, last map[string]string) string {
	known, ok := a.types[version][typ]
	if ok && a.chance(3) {
		last[typ] = known
		return known
	}
	if a.types[version] == nil {
		a.types[version] = map[string]string{}
	}
	a.types[version][typ] = a.evolve(last, typ, append(a.Names[:len(a.Names):len(a.Names)], a.Nested...))
	return a.types[version][typ]
}

// evolve returns a type as in the previous version, or a new one.
func (a *author) evolve(last map[string]string, typ string, names []string) string {
	if last[typ] == "" || !a.chance(2) {
		last[typ] = a.object(names)
	}
	return last[typ]
}

// chance is true with a probability of n in n+1.
func (a *author) chance(n int) bool { return rapid.IntRange(0, n).Draw(a.T, "chance") > 0 }

func (a *author) object(names []string) string {
	var b strings.Builder
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID).Draw(a.T, "properties") {
		bang := ""
		if a.chance(1) {
			bang = "!"
		}
		fmt.Fprintf(&b, "      .%s%s %s\n", strconv.Quote(name), bang, a.typ())
	}
	if !a.chance(5) {
		fmt.Fprintf(&b, "      * %s\n", a.typ())
	}
	return b.String()
}

func (a *author) typ() string {
	wrap := rapid.SampledFrom([]string{"", "", "", "", "list ", "map ", "list list ", "map list ", "list map "}).Draw(a.T, "wrap")
	return wrap + rapid.SampledFrom([]string{
		"&X", "&Y", "&Z", "&X", "&Y", "&Z", "string", "int", "number", "bool", "any",
		`enum string("a", "b", "A", "a-", "", "\"", "5", "ü")`, `enum int(1, -1, 10)`, "enum number(1.5, 15, -1e3)", "enum bool(true, false)",
	}).Draw(a.T, "type")
}
