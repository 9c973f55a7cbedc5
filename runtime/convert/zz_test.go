package convert

import (
	"testing"
	"os"
	"runtime/pprof"
	goruntime "runtime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

func TestZZ(t *testing.T) {
	want := os.Getenv("ZZ"); step := os.Getenv("ZZSTEP")
	up, down := gadgetWays(t)
	for _, test := range growingHidden {
		if test.name != want { continue }
		spec := test.spec(numberFor(test.name, test.spec))
		profiled := func(work func()) float64 {
			goruntime.GC(); goruntime.GC()
			goruntime.MemProfileRate = 1
			work()
			goruntime.MemProfileRate = 0; goruntime.GC(); goruntime.GC(); goruntime.GC()
			return 0
		}
		if step == "plan" {
			obj := []byte(gadgetHubHead+`,"spec":`+spec+`}`)
			out := make([]byte, 0, 2*len(obj))
			profiled(func() { out, _ = tryAppend(down, out, obj) })
			t.Log(len(obj), len(out))
		} else if step == "planup" {
			obj := []byte(gadgetHubHead+`,"spec":`+spec+`}`)
			out, _ := tryAppend(down, nil, obj)
			res := make([]byte, 0, 2*len(obj))
			profiled(func() { res, _ = tryAppend(up, res, out) })
			t.Log(len(out))
		} else {
			data := []byte(`{` + storageHead + `,"spec":` + spec + `}`)
			stored := new(fixtures.StoredGadget)
			shown, g := new(fixtures.Gadget), new(fixtures.Gadget)
			var encoded []byte
			for _, s := range []struct{name string; work func()}{
				{"decode storage", func() { Decode(data, stored) }},
				{"down", func() { shown = fixtures.ShownOf(t, stored) }},
				{"encode", func() { encoded, _ = Encode(shown) }},
				{"decode", func() { Decode(encoded, g) }},
				{"up", func() { fixtures.StoredOf(t, g) }},
				{"edit", func() { if len(g.Spec.Parts) > 0 { g.Spec.Parts = g.Spec.Parts[1:] }; g.Spec.Size = new("edited"); fixtures.StoredOf(t, g) }},
			} {
				if s.name == step { profiled(s.work) } else { s.work() }
			}
			t.Log(len(data), len(encoded))
		}
	}
	f, _ := os.Create("/tmp/rt-mem.prof")
	pprof.Lookup("allocs").WriteTo(f, 0)
	f.Close()
}
