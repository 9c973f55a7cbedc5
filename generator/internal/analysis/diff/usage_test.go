package diff

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQuestions asks for the properties of changes between two versions, and takes the answer of
// either version.
func TestQuestions(t *testing.T) {
	changes := []Change{
		{Kind: VersionAdded}, {Kind: Removed, Path: "a"}, {Kind: Added, Path: "b"}, {Kind: Renamed, Path: "x.d", Old: "c", New: "d"},
		{Kind: Moved, Path: "y.e", Old: "e"}, {Kind: Narrowed, Path: "status.f"},
	}
	fresh := func() []Comparison {
		return []Comparison{
			{Kind: "None", Changes: []Change{{Kind: ResourceAdded}}, id: identity{group: "g"}},
			{Kind: "Apart", Changes: []Change{{Kind: Removed, Path: "a"}}},
			{Kind: "Widget", Changes: append([]Change{}, changes...), id: identity{"g", "v1", "v2"}},
		}
	}
	all := fresh()
	questions, of := Questions(all)
	want := []Question{{Group: "g", Kind: "Widget", Versions: []QuestionVersion{
		{"v1", []string{"spec.a", "spec.b", "spec.x.c", "spec.e", "status.f"}},
		{"v2", []string{"spec.a", "spec.b", "spec.x.d", "spec.y.e", "status.f"}},
	}}}
	if diff := cmp.Diff(want, questions); diff != "" || len(of) != 1 || of[0] != 2 {
		t.Fatalf("questions of %v (-want +got):\n%s", of, diff)
	}
	for version, want := range map[string][]int{"v1": {-1, 1, -1, 3, 4, 5}, "v2": {-1, -1, 2, 3, 4, 5}, "": {-1, -1, -1, -1, -1, -1}} {
		all := fresh()
		answer := Answer{Version: version, Objects: 9, Uses: []int{1, 2, 3, 4, 5}}
		if version == "" {
			answer = Answer{}
		}
		Answered(all, of, []Answer{answer})
		for i, one := range all[2].Changes {
			got := -1
			if one.Usage != nil {
				got = one.Usage.Uses
			}
			if got != want[i] {
				t.Errorf("through %q, change %d is set in %d objects, want %d", version, i, got, want[i])
			}
		}
	}
}
