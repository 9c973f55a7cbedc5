package genruntime_test

import (
	goruntime "runtime"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// deepSpec is a spec with an object of its kind.
type deepSpec struct {
	Next            *deepSpec           `json:"next,omitzero"`
	Newer           *string             `json:"newer,omitzero"`
	Newest          *string             `json:"newest,omitzero"`
	OriginalVersion string              `json:"originalVersion,omitempty"`
	PropertyBag     runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestDeepSpecsTakeLinearMemory decides between two versions that lack something at each level of
// a deep spec. A client may make one, and memory must not grow with the square of its levels.
func TestDeepSpecsTakeLinearMemory(t *testing.T) {
	expressions := genruntime.Expressions{
		Versions: []genruntime.Expression{{Version: "v1", Lacks: 1}, {Version: "v2", Lacks: 2}, {Version: "v3", Hub: true}},
		Lists:    genruntime.Lists{{{Name: "newer"}, {Name: "next", List: 1}}, {{Name: "newer"}, {Name: "newest"}, {Name: "next", List: 2}}},
	}
	const levels, perLevel = 8000, 2 << 10
	for newest, want := range map[*string]string{nil: "v2", new("x"): "v1"} {
		spec := &deepSpec{Newer: new("x"), Newest: newest}
		for range levels {
			spec = &deepSpec{Next: spec, Newer: new("x")}
		}
		spec.OriginalVersion = "v1|v2"
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		genruntime.DecideOriginal(nil, spec, expressions)
		goruntime.ReadMemStats(&after)
		if spec.OriginalVersion != want {
			t.Errorf("the original version is %s, want %s", spec.OriginalVersion, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > levels*perLevel {
			t.Errorf("it took %d bytes for each of %d levels", took/levels, levels)
		}
	}
}
