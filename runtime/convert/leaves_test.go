package convert

import (
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// TestLeavesOfList checks that both engines write the leaves of a list up to the documented
// number. The number is part of the format, since old bags and new ones must be read alike.
func TestLeavesOfList(t *testing.T) {
	_, down := gadgetWays(t)
	for _, test := range []struct {
		reason string
		leaves int
		want   bool
	}{
		{"as many as may be", 65536, true},
		{"one more", 65537, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			stored := &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{OriginalVersion: fixtures.GadgetVersion, Parts: make([]fixtures.StoredPart, 2)}}
			stored.Spec.Parts[0] = fixtures.StoredPart{Labels: map[string]string{}, PropertyBag: fixtures.BagOf("a", "7")}
			stored.Spec.Parts[1] = fixtures.StoredPart{Color: new("red")}
			for i := range test.leaves - 1 {
				stored.Spec.Parts[0].Labels[strconv.Itoa(i)] = "l"
			}
			typed := *fixtures.APIOf(t, stored).StatusBag()
			if got := strings.Contains(typed, `"leaves"`); got != test.want {
				t.Errorf("the bag has leaves: %v", got)
			}
			stored.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + gadgetHub, Kind: "Gadget"}
			stored.Name = "g"
			data, err := Encode(stored)
			if err != nil {
				t.Fatal(err)
			}
			out, ok := tryAppend(down, nil, data)
			if !ok {
				t.Fatal("the plan refuses the object")
			}
			var planned fixtures.Gadget
			if err := Decode(out, &planned); err != nil {
				t.Fatal(err)
			}
			if *planned.StatusBag() != typed {
				t.Error("the engines write different bags")
			}
		})
	}
}
