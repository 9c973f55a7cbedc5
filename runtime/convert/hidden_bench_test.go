package convert

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// BenchmarkHiddenValues converts the object of genruntime's BenchmarkHide as JSON, down and up.
func BenchmarkHiddenValues(b *testing.B) {
	up, down := gadgetWays(b)
	for _, test := range []struct {
		name  string
		hides bool
	}{{"nothing", false}, {"five", true}} {
		stored := fixtures.BigGadget(test.hides)
		stored.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + gadgetHub, Kind: "Gadget"}
		stored.Name = "g"
		hub, err := Encode(stored)
		if err != nil {
			b.Fatal(err)
		}
		api, ok := tryAppend(down, nil, hub)
		if !ok {
			b.Fatal("the plan refuses the object")
		}
		for _, side := range []struct {
			name string
			c    *Converter
			in   []byte
		}{{"hide", down, hub}, {"restore", up, api}} {
			b.Run(test.name+"/"+side.name, func(b *testing.B) {
				b.ReportAllocs()
				var out []byte
				for b.Loop() {
					if out, ok = tryAppend(side.c, out[:0], side.in); !ok {
						b.Fatal("the plan refuses the object")
					}
				}
			})
		}
	}
}
