package genruntime

import (
	"bytes"
	"testing"
)

// bigGadget is an object of about 6 KB and 250 scalars, with five hidden values or none.
func bigGadget(hides bool) *storedGadget {
	part := func() storedPart {
		return storedPart{Color: new("a rather long colour"), Weight: new(int64(1 << 40)), Ratio: new(1.5), On: new(true)}
	}
	row := func() storedPart {
		p := part()
		p.Inner = new(part())
		p.Parts = []storedPart{part(), part(), part(), part()}
		return p
	}
	g := &storedGadget{Spec: &storedSpec{OriginalVersion: gadgetVersion, Main: new(row()), Tags: map[string]string{"a": "1", "b": "2", "c": "3"}}}
	for i := range 8 {
		p := row()
		p.Weight = new(int64(i))
		g.Spec.Parts = append(g.Spec.Parts, p)
	}
	g.Spec.Spares = map[string]storedPart{"one": part(), "two": part()}
	g.Status = &storedStatus{Main: new(row())}
	if hides {
		g.Spec.OriginalVersion = "v20110101"
		g.Spec.PropertyBag = bagOf("sortKey", `"a value that is hidden"`)
		g.Spec.Main.PropertyBag = bagOf("address", `{"street":"Long Street","city":"Town","number":17}`)
		g.Spec.Main.Inner.PropertyBag = bagOf("flag", `true`)
		g.Spec.Parts[3].PropertyBag = bagOf("flag", `[1,2,3]`)
		g.Status.Main.PropertyBag = bagOf("flag", `12`)
	}
	return g
}

func (p *storedPart) DeepCopyInto(out *storedPart) {
	*out = storedPart{Color: Clone(p.Color), Weight: Clone(p.Weight), Ratio: Clone(p.Ratio), On: Clone(p.On), Inner: CopyObject(p.Inner), Parts: CopyList(p.Parts), PropertyBag: p.PropertyBag.DeepCopy()}
}

func copyGadget(in *storedGadget) *storedGadget {
	out := &storedGadget{TypeMeta: in.TypeMeta, Spec: &storedSpec{}, Status: &storedStatus{}}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	*out.Spec = storedSpec{Main: CopyObject(in.Spec.Main), Parts: CopyList(in.Spec.Parts), Tags: CloneMap(in.Spec.Tags), Spares: CopyMap(in.Spec.Spares), OriginalVersion: in.Spec.OriginalVersion, PropertyBag: in.Spec.PropertyBag.DeepCopy()}
	*out.Status = storedStatus{Main: CopyObject(in.Status.Main), PropertyBag: in.Status.PropertyBag.DeepCopy()}
	return out
}

func BenchmarkHide(b *testing.B) {
	for _, test := range []struct {
		name  string
		hides bool
	}{{"nothing", false}, {"five", true}} {
		stored := bigGadget(test.hides)
		shown := shownOf(b, stored)
		b.Run(test.name+"/hide", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Hide(shown, stored.Spec, stored.Status)
			}
		})
		b.Run(test.name+"/restore", func(b *testing.B) {
			b.ReportAllocs()
			blank := storedOf(b, shown)
			for b.Loop() {
				forget(blank)
				Restore(shown, &blank.Spec, &blank.Status)
			}
		})
		b.Run(test.name+"/copy", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copyGadget(stored)
			}
		})
	}
}

func forget(g *storedGadget) {
	g.Spec.PropertyBag, g.Spec.Main.PropertyBag, g.Spec.Main.Inner.PropertyBag, g.Spec.Parts[3].PropertyBag = nil, nil, nil, nil
	g.Status.Main.PropertyBag = nil
}

func BenchmarkDecode(b *testing.B) {
	right, err := Encode(shownOf(b, bigGadget(true)))
	if err != nil {
		b.Fatal(err)
	}
	wrong := bytes.Replace(right, []byte(`"on":true`), []byte(`"on":"true"`), 3)
	for name, data := range map[string][]byte{"right": right, "wrong": wrong} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var g gadget
				if err := Decode(data, &g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
