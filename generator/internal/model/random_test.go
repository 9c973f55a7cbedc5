package model

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseIsInverseOfPrint(t *testing.T) {
	for name, raw := range map[string]bool{"raw": true, "refined": false} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			want := rapid.SliceOfN(resources(raw), 1, 3).Draw(t, "resources")
			text := Print(want...)
			got, err := Parse("text", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			same(t, want, got)
			if again := Print(got...); string(again) != string(text) {
				t.Errorf("printed again, it differs (-want +got):\n%s", cmp.Diff(string(text), string(again)))
			}
		}))
	}
}

func TestParseIsInverseOfAppendVersion(t *testing.T) {
	for name, raw := range map[string]bool{"raw": true, "refined": false} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			want := resources(raw).Draw(t, "resource")
			for i := range rapid.IntRange(1, 3).Draw(t, "more versions") {
				want.Versions = append(want.Versions, successor(t, want, raw, fmt.Sprint("next", i)))
			}
			text := ledger(want)
			got, err := Parse("text", []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			same(t, []*Resource{want}, got)
			if again := ledger(got[0]); again != text {
				t.Errorf("printed again, it differs (-want +got):\n%s", cmp.Diff(text, again))
			}
		}))
	}
}

// successor returns a version that shares most of its definitions with the resource's last
// version, in another order.
func successor(t *rapid.T, r *Resource, raw bool, name string) *Version {
	last := &Resource{Versions: r.Versions[len(r.Versions)-1:]}
	again, err := Parse("last", Print(last))
	if err != nil {
		t.Fatal(err)
	}
	v := again[0].Versions[0]
	v.Name = name
	a := &author{T: t, raw: raw, defs: v.Defs}
	for _, d := range v.Defs {
		if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
			d.Type = a.object()
		}
	}
	v.Defs = rapid.Permutation(v.Defs).Draw(t, "order")
	return v
}

// resources generates raw or refined resources.
func resources(raw bool) *rapid.Generator[*Resource] {
	return rapid.Custom(func(t *rapid.T) *Resource {
		a := &author{T: t, raw: raw}
		r := &Resource{Type: a.name()}
		if !raw {
			r.Kind, r.Plural = a.name(), a.name()
		}
		r.Group, r.Facts = a.name(), a.facts()
		names := rapid.SliceOfNDistinct(anyName, 1, 3, rapid.ID).Draw(t, "versions")
		for _, n := range names {
			r.Versions = append(r.Versions, a.version(n))
		}
		if raw && rapid.Bool().Draw(t, "version again") {
			r.Versions = append(r.Versions, a.version(names[0]))
		}
		return r
	})
}

var anyName = rapid.OneOf(
	rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9]{0,6}`),
	rapid.SampledFrom(names),
	rapid.StringN(0, 6, -1),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 4), func(b []byte) string { return string(b) }),
)

// An author generates the parts of one version.
type author struct {
	*rapid.T
	raw   bool
	defs  []*Def
	depth int
}

func (a *author) name() string { return anyName.Draw(a.T, "name") }

func (a *author) flag() bool { return rapid.Bool().Draw(a.T, "flag") }

func (a *author) names() []string {
	return several(rapid.SliceOfNDistinct(anyName, 0, 3, rapid.ID).Draw(a.T, "names"))
}

func (a *author) doc() string {
	return rapid.OneOf(rapid.Just(""), anyName, rapid.String()).Draw(a.T, "doc")
}

func (a *author) version(name string) *Version {
	a.defs = nil
	for _, n := range rapid.SliceOfNDistinct(anyName, 1, 4, rapid.ID).Draw(a.T, "defs") {
		a.defs = append(a.defs, &Def{Name: n})
	}
	for _, d := range a.defs {
		d.Doc = a.doc()
		if d.Type = a.object(); a.raw {
			d.Type = a.typ()
		}
	}
	v := &Version{Name: name, Spec: a.ref(), AtRoot: a.flag(), Facts: a.facts(), Defs: a.defs}
	for range rapid.IntRange(0, 2).Draw(a.T, "sources") {
		v.Sources = append(v.Sources, Source{a.name(), a.name(), a.name()})
	}
	if a.raw {
		v.Spec = a.typ()
	}
	if a.flag() {
		v.Status = a.ref()
	}
	return v
}

// typ generates a type of limited depth.
func (a *author) typ() Type {
	a.depth++
	defer func() { a.depth-- }()
	leaves := []func() Type{a.scalar, a.enum, a.any, a.ref}
	nodes := []func() Type{a.list, a.dict}
	if a.raw {
		nodes = append(nodes, a.object, a.oneOf, a.allOf)
	}
	if a.depth < 4 {
		leaves = append(leaves, nodes...)
	}
	return rapid.SampledFrom(leaves).Draw(a.T, "type")()
}

func (a *author) types() []Type {
	var all []Type
	for range rapid.IntRange(0, 3).Draw(a.T, "types") {
		all = append(all, a.typ())
	}
	return all
}

func (a *author) kind() Kind {
	return rapid.SampledFrom([]Kind{String, Int, Number, Bool}).Draw(a.T, "kind")
}
func (a *author) scalar() Type { return &Scalar{a.kind(), a.limits(), a.facts()} }
func (a *author) enum() Type   { return &Enum{a.kind(), a.values(), a.flag(), a.facts()} }
func (a *author) any() Type    { return &Any{a.name(), a.facts()} }
func (a *author) list() Type   { return &List{a.typ(), a.limits(), a.facts()} }
func (a *author) dict() Type   { return &Map{a.typ(), a.facts()} }
func (a *author) oneOf() Type  { return &OneOf{a.types()} }
func (a *author) allOf() Type  { return &AllOf{a.types()} }
func (a *author) ref() Type    { return &Ref{rapid.SampledFrom(a.defs).Draw(a.T, "ref")} }

func (a *author) object() Type {
	o := &Object{Facts: a.facts()}
	for _, n := range a.names() {
		o.Properties = append(o.Properties, a.property(n))
	}
	if a.flag() {
		o.Additional = a.typ()
	}
	if a.raw {
		o.Requires = a.names()
	}
	if a.flag() {
		o.Union = a.union()
	}
	return o
}

func (a *author) property(name string) *Property {
	p := &Property{Name: name, Doc: a.doc(), Type: a.typ(), Required: a.flag(), ReadOnly: a.flag(), Secret: a.flag()}
	if a.flag() {
		p.Wire = a.name()
	}
	if a.flag() {
		p.Deprecated = "use " + a.name()
	}
	if a.flag() {
		p.Default = a.value()
	}
	return p
}

func (a *author) union() *Union {
	u := &Union{Discriminator: a.name()}
	for range rapid.IntRange(0, 3).Draw(a.T, "cases") {
		u.Cases = append(u.Cases, Case{a.values(), a.names(), a.names()})
	}
	return u
}

func (a *author) limits() *Limits {
	l := Limits{
		Format: a.name(), Pattern: a.name(),
		MinLength: a.number(), MaxLength: a.number(), Minimum: a.number(), Maximum: a.number(),
		ExclusiveMin: a.flag(), ExclusiveMax: a.flag(), MultipleOf: a.number(),
		MinItems: a.number(), MaxItems: a.number(), Unique: a.flag(),
	}
	if l == (Limits{}) || a.flag() {
		return nil
	}
	return &l
}

func (a *author) facts() Facts {
	var all Facts
	if a.flag() {
		for _, n := range a.names() {
			all = append(all, Fact{n, a.value()})
		}
	}
	return all
}

func (a *author) number() string {
	return rapid.SampledFrom([]string{"", "0", "-1", "1.50", "9007199254740993", "1e300", "-2.5E-3", "1e+2"}).Draw(a.T, "number")
}

func (a *author) values() []string {
	return several(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return (&author{T: t}).value() }), 0, 3).Draw(a.T, "values"))
}

// value generates the text of a JSON value.
func (a *author) value() string {
	number := rapid.SampledFrom([]any{nil, true, false, 0, -1, 1.5, json.Number("1e2"), json.Number("9007199254740993")})
	text := rapid.Map(rapid.String(), func(s string) any { return s })
	leaf := rapid.OneOf(number, text)
	list := rapid.Map(rapid.SliceOfN(leaf, 0, 3), func(l []any) any { return l })
	dict := rapid.Map(rapid.MapOfN(anyName, rapid.OneOf(leaf, list), 0, 3), func(m map[string]any) any { return m })
	data, err := json.Marshal(rapid.OneOf(leaf, list, dict).Draw(a.T, "value"))
	if err != nil {
		a.Fatal(err)
	}
	return string(data)
}

// several returns nil for an empty list, as models do.
func several(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}
