package genruntime_test

import (
	"bytes"
	"testing"

	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

func copyGadget(in *fixtures.StoredGadget) *fixtures.StoredGadget {
	out := &fixtures.StoredGadget{TypeMeta: in.TypeMeta, Spec: &fixtures.StoredSpec{}, Status: &fixtures.StoredStatus{}}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	*out.Spec = fixtures.StoredSpec{Main: genruntime.CopyObject(in.Spec.Main), Parts: genruntime.CopyList(in.Spec.Parts), Tags: genruntime.CloneMap(in.Spec.Tags), Spares: genruntime.CopyMap(in.Spec.Spares), OriginalVersion: in.Spec.OriginalVersion, PropertyBag: in.Spec.PropertyBag.DeepCopy()}
	*out.Status = fixtures.StoredStatus{Main: genruntime.CopyObject(in.Status.Main), PropertyBag: in.Status.PropertyBag.DeepCopy()}
	return out
}

func BenchmarkHide(b *testing.B) {
	for _, test := range []struct {
		name  string
		hides bool
	}{{"nothing", false}, {"five", true}} {
		stored := fixtures.BigGadget(test.hides)
		visible := fixtures.APIOf(b, stored)
		b.Run(test.name+"/hide", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				genruntime.Hide(visible, stored.Spec, stored.Status)
			}
		})
		b.Run(test.name+"/restore", func(b *testing.B) {
			b.ReportAllocs()
			blank := fixtures.StoredOf(b, visible)
			for b.Loop() {
				forget(blank)
				genruntime.Restore(visible, &blank.Spec, &blank.Status)
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

func forget(g *fixtures.StoredGadget) {
	g.Spec.PropertyBag, g.Spec.Main.PropertyBag, g.Spec.Main.Inner.PropertyBag, g.Spec.Parts[3].PropertyBag = nil, nil, nil, nil
	g.Status.Main.PropertyBag = nil
}

func BenchmarkDecode(b *testing.B) {
	right, err := convert.Encode(fixtures.APIOf(b, fixtures.BigGadget(true)))
	if err != nil {
		b.Fatal(err)
	}
	wrong := bytes.Replace(right, []byte(`"on":true`), []byte(`"on":"true"`), 3)
	for name, data := range map[string][]byte{"right": right, "wrong": wrong} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var g fixtures.Gadget
				if err := convert.Decode(data, &g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
