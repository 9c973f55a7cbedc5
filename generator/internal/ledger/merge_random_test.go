package ledger

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/model"
)

// TestMergeIsStable checks that after any change of a schema the result has everything that the
// ledger has. A second run with the same schema changes nothing.
func TestMergeIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := &Ledger{Entries: []*Entry{entry(t, 0)}}
		fresh := changed(t, known.Models())
		once, findings := known.Merge(context.Background(), parsed(t, fresh))
		for i, v := range known.Entries[0].Model.Versions {
			covers(t, v, once[0].Versions[i])
		}
		again := &Ledger{Entries: []*Entry{{Model: parsed(t, model.Print(once...))[0]}}}
		twice, more := again.Merge(context.Background(), parsed(t, fresh))
		if a, b := string(model.Print(once...)), string(model.Print(twice...)); a != b {
			t.Fatalf("a second run differs (-first +second):\n%s\nfresh:\n%s", cmp.Diff(a, b), fresh)
		}
		if len(ofSpec(more)) < len(ofSpec(findings)) {
			t.Fatalf("found %v, and then only %v", findings, more)
		}
	})
}

// ofSpec removes findings about statuses, for which a path in the ledger's spec does not count as
// missing.
func ofSpec(all []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return strings.HasPrefix(f.Text, statusPath) })
}

// TestMergeOfSame checks that an unchanged schema changes nothing.
func TestMergeOfSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := &Ledger{Entries: []*Entry{entry(t, 0)}}
		for _, v := range known.Entries[0].Model.Versions {
			v.Defs = model.Closure(v.Spec, v.Status)
		}
		want := model.Print(known.Models()...)
		merged, findings := known.Merge(context.Background(), parsed(t, want))
		if got := model.Print(merged...); string(got) != string(want) || len(findings) > 0 {
			t.Fatalf("%v (-want +got):\n%s", findings, cmp.Diff(string(want), string(got)))
		}
	})
}

func parsed(t *rapid.T, text []byte) []*model.Resource {
	all, err := model.Parse("text", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return all
}

// changed returns the text of models in which some types were renamed, joined and split, and some
// properties removed, added and retyped.
func changed(t *rapid.T, known []*model.Resource) []byte {
	r := parsed(t, model.Print(known...))[0]
	for _, v := range r.Versions {
		a := &author{t, v.Defs}
		for _, d := range v.Defs {
			a.change(d.Object())
		}
		names := rapid.Permutation([]string{"A", "B", "C", "D", "E", "F", "G", "H"}).Draw(t, "names")
		for i, d := range v.Defs {
			if rapid.IntRange(0, 2).Draw(t, "rename") == 0 && v.Def(names[i]) == nil {
				d.Name = names[i]
			}
		}
		v.Defs = model.Closure(v.Spec, v.Status)
	}
	return model.Print(r)
}

func (a *author) change(o *model.Object) {
	drop := rapid.SliceOfN(rapid.IntRange(0, 3), len(o.Properties), len(o.Properties)).Draw(a.T, "drop")
	var kept []*model.Property
	for i, p := range o.Properties {
		switch {
		case drop[i] == 0:
			continue
		case drop[i] == 1 && rapid.IntRange(0, 3).Draw(a.T, "retype") == 0:
			p.Type = a.typ(1)
		}
		if ref, ok := p.Type.(*model.Ref); ok && rapid.IntRange(0, 3).Draw(a.T, "other type") == 0 {
			ref.Def = rapid.SampledFrom(a.defs).Draw(a.T, "ref")
		}
		kept = append(kept, p)
	}
	o.Properties = kept
	if name := oddName.Draw(a.T, "new"); o.Property(name) == nil {
		o.Properties = append(o.Properties, &model.Property{Name: name, Type: a.typ(1)})
	}
	if rapid.IntRange(0, 3).Draw(a.T, "close") == 0 {
		o.Additional = nil
	}
}

// statusOf returns the type that a version's status is stored as.
func statusOf(v *model.Version) model.Type {
	if v.Status == nil {
		return v.Spec
	}
	return v.Status
}

// covers fails unless everything in known is in merged, at the same path and stored in the same
// form.
func covers(t *rapid.T, known, merged *model.Version) {
	c := newComparison(&model.Resource{}, known, merged)
	c.compare(known.Spec, merged.Spec, "", model.Pos{})
	if merged.Status != nil {
		c.compare(statusOf(known), merged.Status, "status", model.Pos{})
	}
	if len(c.findings) > 0 {
		t.Fatalf("the ledger knew more: %v", c.findings)
	}
}
