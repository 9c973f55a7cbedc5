package ledger

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

// ledgers generates ledgers as runs write them.
func ledgers() *rapid.Generator[*Ledger] {
	return rapid.Custom(func(t *rapid.T) *Ledger {
		l := &Ledger{}
		for i := range rapid.IntRange(0, 3).Draw(t, "entries") {
			l.Entries = append(l.Entries, entry(t, i))
		}
		return l
	})
}

func entry(t *rapid.T, i int) *Entry {
	kind := fmt.Sprintf("%s%d", rapid.StringMatching(`[A-Z][a-z]{0,5}`).Draw(t, "kind"), i)
	e := &Entry{
		File:  rapid.StringMatching(`[a-z]{1,3}`).Draw(t, "folder") + "/" + strings.ToLower(kind) + ".txt",
		Model: &model.Resource{Type: fmt.Sprintf("Contoso.%s/%d", oddName.Draw(t, "type"), i), Kind: kind, Plural: strings.ToLower(kind) + "s"},
	}
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`20[12][0-9]-0[1-9]-1[0-9](-(preview|alpha\.1))?`), 1, 4, func(name string) string {
		v, _ := version.Parse(name)
		return v.Label()
	}).Draw(t, "versions")
	for _, name := range names {
		v, _ := version.Parse(name)
		e.Model.Versions = append(e.Model.Versions, next(t, e.Model, name))
		if rapid.Bool().Draw(t, "hub") {
			e.Hubs = append(e.Hubs, v.Label())
		}
		if rapid.Bool().Draw(t, "served") {
			e.Served = append(e.Served, v.Label())
		}
	}
	for _, v := range e.Model.Versions {
		e.Made = append(e.Made, made(t, v)...)
		e.Keys = append(e.Keys, keys(t, e.Model, v)...)
		e.Lineages = append(e.Lineages, lineages(t, v)...)
	}
	return e
}

// made generates Mades for properties of a version.
func made(t *rapid.T, v *model.Version) []Made {
	var out []Made
	for _, d := range v.Defs {
		for _, p := range d.Object().Properties {
			if rapid.IntRange(0, 9).Draw(t, "made") == 0 {
				out = append(out, Made{v.Name, rapid.SampledFrom([]How{Converted, Filled, Renamed, Declared}).Draw(t, "how"), d.Name, p.Name,
					rapid.SampledFrom([]string{"", `"\u2028"`, "F()", "F() -", `[["a","b"]]`, "{\"a\": 1}"}).Draw(t, "by")})
			}
		}
	}
	return out
}

var oddName = rapid.OneOf(
	rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9]{0,6}`),
	rapid.SampledFrom([]string{"@odata.type", "5qi", "a b", "a-b", `"`, `\`, "\n", "é", "☃", "def X = v1", "resource ", "  version v", "<<<<<<< a"}),
	rapid.StringN(1, 6, -1),
)

// next generates a version that shares most of its definitions with the previous one.
func next(t *rapid.T, r *model.Resource, name string) *model.Version {
	if n := len(r.Versions); n > 0 && rapid.IntRange(0, 3).Draw(t, "again") > 0 {
		before := &model.Resource{Type: r.Type, Versions: r.Versions[n-1:]}
		copied, err := model.Parse("", model.Print(before))
		if err != nil {
			t.Fatal(err)
		}
		v := copied[0].Versions[0]
		v.Name = name
		a := &author{t, v.Defs}
		for _, d := range v.Defs {
			if rapid.IntRange(0, 3).Draw(t, "change") == 0 {
				d.Type = a.object()
			}
		}
		return v
	}
	a := &author{T: t}
	for _, n := range rapid.SliceOfNDistinct(rapid.StringMatching(`[A-D][a-z]{0,2}`), 1, 4, rapid.ID).Draw(t, "defs") {
		a.defs = append(a.defs, &model.Def{Name: n, Doc: rapid.StringN(0, 9, -1).Draw(t, "doc")})
	}
	for _, d := range a.defs {
		d.Type = a.object()
	}
	v := &model.Version{Name: name, Spec: &model.Ref{Def: a.defs[0]}, Defs: a.defs}
	if rapid.IntRange(0, 3).Draw(t, "status") == 0 {
		v.Status = &model.Ref{Def: a.defs[len(a.defs)-1]}
	}
	for range rapid.IntRange(0, 2).Draw(t, "sources") {
		v.Sources = append(v.Sources, model.Source{Kind: "arm", File: oddName.Draw(t, "file"), Scope: "resourceDefinitions"})
	}
	return v
}

// author generates the parts of one version.
type author struct {
	*rapid.T
	defs []*model.Def
}

func (a *author) object() *model.Object {
	o := &model.Object{}
	for _, n := range rapid.SliceOfNDistinct(oddName, 0, 4, rapid.ID).Draw(a.T, "properties") {
		o.Properties = append(o.Properties, &model.Property{Name: n, Type: a.typ(3), Required: rapid.Bool().Draw(a.T, "required"), Doc: rapid.StringN(0, 5, -1).Draw(a.T, "doc")})
	}
	if rapid.IntRange(0, 4).Draw(a.T, "open") == 0 {
		o.Additional = a.typ(2)
	}
	if rapid.IntRange(0, 4).Draw(a.T, "union") == 0 {
		o.Union = &model.Union{Discriminator: "kind", Cases: []model.Case{{Values: []string{`"a"`}, Allows: []string{"x"}}}}
	}
	return o
}

func (a *author) typ(depth int) model.Type {
	choices := 6
	if depth == 0 {
		choices = 4
	}
	switch rapid.IntRange(0, choices-1).Draw(a.T, "type") {
	case 0:
		return &model.Ref{Def: rapid.SampledFrom(a.defs).Draw(a.T, "ref")}
	case 1:
		return &model.Enum{Values: []string{`"a"`, `"b c"`}}
	case 2:
		return &model.Any{Reason: rapid.SampledFrom([]string{"", "list against object"}).Draw(a.T, "reason")}
	case 3:
		return &model.Scalar{Kind: rapid.SampledFrom([]model.Kind{model.String, model.Int, model.Number, model.Bool}).Draw(a.T, "kind")}
	case 4:
		return &model.List{Elem: a.typ(depth - 1)}
	}
	return &model.Map{Elem: a.typ(depth - 1)}
}

// keys generates keys of properties that a version has, some through a compat package of any
// version.
func keys(t *rapid.T, r *model.Resource, v *model.Version) []chain.KeyRow {
	var out []chain.KeyRow
	for range rapid.IntRange(0, 2).Draw(t, "keys") {
		row := chain.KeyRow{Version: v.Name, Name: oddName.Draw(t, "key"), Status: v.Status == nil && rapid.Bool().Draw(t, "status")}
		row.Path, row.Property = drawnPath(t, v)
		if row.Property == "" {
			continue
		}
		if rapid.Bool().Draw(t, "via") {
			host, _ := version.Parse(rapid.SampledFrom(r.Versions).Draw(t, "host").Name)
			row.Compat = host.Label()
		}
		out = append(out, row)
	}
	return out
}

// lineages generates names of the lineages of properties that a version has.
func lineages(t *rapid.T, v *model.Version) []chain.LineageRow {
	var out []chain.LineageRow
	for range rapid.IntRange(0, 2).Draw(t, "lineages") {
		row := chain.LineageRow{Version: v.Name, Name: oddName.Draw(t, "lineage"), Status: v.Status == nil && rapid.Bool().Draw(t, "status")}
		if row.Path, row.Property = drawnPath(t, v); row.Property != "" && !slices.ContainsFunc(out, func(o chain.LineageRow) bool { return reflect.DeepEqual(o, row) }) {
			out = append(out, row)
		}
	}
	return out
}

// drawnPath generates the path of a property that a version has; empty if its spec has none.
func drawnPath(t *rapid.T, v *model.Version) (path []string, property string) {
	at := v.Spec
	for {
		_, inner := chain.Unwrap(at)
		ref, ok := inner.(*model.Ref)
		if !ok || len(ref.Def.Object().Properties) == 0 {
			return path, property
		}
		p := rapid.SampledFrom(ref.Def.Object().Properties).Draw(t, "step")
		if property != "" {
			path = append(path, property)
		}
		property, at = p.Name, p.Type
		if rapid.Bool().Draw(t, "here") {
			return path, property
		}
	}
}
