package convert

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
)

func scaledUp(data []byte) ([]byte, error) {
	var from fixtures.ScaledGadget
	var to fixtures.StoredGadget
	if err := genruntime.FirstError(Decode(data, &from), from.ToStorage(&from, &to)); err != nil {
		return nil, err
	}
	return Encode(&to)
}

func scaledDown(data []byte) ([]byte, error) {
	var from fixtures.StoredGadget
	var to fixtures.ScaledGadget
	if err := genruntime.FirstError(Decode(data, &from), to.FromStorage(&to, &from)); err != nil {
		return nil, err
	}
	return Encode(&to)
}

// TestScalingInBothEngines writes objects that hide another original version, and wants a plan to
// decide it as Go types do.
func TestScalingInBothEngines(t *testing.T) {
	plan := Plan{API: &fixtures.ScaledGadget{}, Storage: &fixtures.StoredGadget{}, Hub: &fixtures.StoredGadget{}, HubVersion: fixtures.Group + "/" + gadgetHub}
	if err := RegisterPlans(plan); err != nil {
		t.Fatal(err)
	}
	kind := schema.GroupKind{Group: fixtures.Group, Kind: "ScaledGadget"}
	up, down := NewConverter(kind, fixtures.GadgetVersion, gadgetHub), NewConverter(kind, gadgetHub, fixtures.GadgetVersion)
	head := strings.Replace(gadgetHubHead, "Gadget", "ScaledGadget", 1)
	for _, test := range []struct{ was, is, want string }{
		{`"main":{"color":"c","weight":1}`, `"main":{"color":"c","weight":9}`, fixtures.OldVersion},
		{`"main":{"color":"c","weight":1}`, `"main":{"color":"d","weight":1}`, fixtures.GadgetVersion},
		{`"main":{"color":"c","weight":1}`, `"main":{"weight":1}`, fixtures.GadgetVersion},
		{`"main":{"color":"c"}`, `"main":{"weight":7,"color":"c"}`, fixtures.OldVersion},
		{`"main":{"weight":7}`, `"main":{}`, fixtures.OldVersion},
		{`"main":{"weight":7}`, `"size":"small"`, fixtures.OldVersion},
		{`"main":{"color":"c"}`, `"count":1`, fixtures.GadgetVersion},
		{`"count":1`, `"main":{"weight":1},"count":1`, fixtures.OldVersion},
		{`"main":{"inner":{"weight":1}}`, `"main":{"inner":{"weight":2}}`, fixtures.GadgetVersion},
		{`"parts":[{"weight":1}]`, `"parts":[{"weight":2}]`, fixtures.GadgetVersion},
		{`"open":{"main":{"weight":1}}`, `"open":{"main":{"weight":2}}`, fixtures.GadgetVersion},
	} {
		visible := converted(t, test.was, down, []byte(head+`,"spec":{`+test.was+`,"originalVersion":"`+fixtures.OldVersion+`"}}`), scaledDown)
		edited := []byte(strings.Replace(string(visible), string(jsontext.MemberOf(visible, "spec")), `{`+test.is+`}`, 1))
		stored := converted(t, test.is, up, edited, scaledUp)
		if got := string(jsontext.Unquoted(jsontext.MemberOf(jsontext.MemberOf(stored, "spec"), label.OriginalVersion))); got != test.want {
			t.Errorf("%s became %s: the original version is %q, want %q", test.was, test.is, got, test.want)
		}
		if _, ok := tryAppend(up, nil, edited); !ok {
			t.Errorf("the plan refuses %s", edited)
		}
	}
}
