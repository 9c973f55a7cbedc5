package genruntime_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/shape"
)

func TestRestore(t *testing.T) {
	for _, test := range []struct {
		reason string
		edit   func(g *fixtures.Gadget)
		want   func(s *fixtures.StoredGadget)
	}{
		{"nothing was edited", func(*fixtures.Gadget) {}, func(*fixtures.StoredGadget) {}},
		{
			"an object that is gone takes what it hid with it",
			func(g *fixtures.Gadget) { g.Spec.Main = nil },
			func(s *fixtures.StoredGadget) { s.Spec.Main = nil },
		},
		{
			"a list that is gone does",
			func(g *fixtures.Gadget) { g.Spec.Rows, g.Spec.Parts = nil, []fixtures.GadgetPart{} },
			func(s *fixtures.StoredGadget) { s.Spec.Rows, s.Spec.Parts = nil, []fixtures.StoredPart{} },
		},
		{
			"values of maps are found by their keys",
			func(g *fixtures.Gadget) {
				g.Spec.Spares = map[string]fixtures.GadgetPart{"one": {}, "three": g.Spec.Spares["two"]}
			},
			func(s *fixtures.StoredGadget) {
				s.Spec.Spares = map[string]fixtures.StoredPart{"one": {PropertyBag: fixtures.BagOf("spare", "1")}, "three": {Color: new("2"), Weight: new(int64(7)), Labels: s.Spec.Spares["two"].Labels}}
			},
		},
		{
			"named elements by their names, however they changed",
			func(g *fixtures.Gadget) {
				g.Spec.Ports = []fixtures.GadgetPort{{Name: new("dns"), Number: new(int64(53)), Part: &fixtures.GadgetPart{}}, {Name: new("new")}, {Name: new("http")}}
			},
			func(s *fixtures.StoredGadget) {
				s.Spec.Ports = []fixtures.StoredPort{
					{Name: new("dns"), Number: new(int64(53)), Part: &fixtures.StoredPart{PropertyBag: fixtures.BagOf("y", "[]")}},
					{Name: new("new")},
					{Name: new("http"), PropertyBag: fixtures.BagOf("x", "1")},
				}
			},
		},
		{
			"named elements by their names, where they look like each other",
			func(g *fixtures.Gadget) {
				g.Spec.Ports[0].Number, g.Spec.Ports[1].Number = new(int64(7)), new(int64(8))
				g.Spec.Ports[0].Part, g.Spec.Ports[1].Part = &fixtures.GadgetPart{}, nil
			},
			func(s *fixtures.StoredGadget) {
				s.Spec.Ports[0].Number, s.Spec.Ports[1].Number = new(int64(7)), new(int64(8))
				s.Spec.Ports[0].Part, s.Spec.Ports[1].Part = &fixtures.StoredPart{}, nil
			},
		},
		{
			"by looks, where a name is there twice",
			func(g *fixtures.Gadget) {
				g.Spec.Ports = append(g.Spec.Ports, fixtures.GadgetPort{Name: new("dns"), Number: new(int64(1))})
			},
			func(s *fixtures.StoredGadget) {
				s.Spec.Ports = append(s.Spec.Ports, fixtures.StoredPort{Name: new("dns"), Number: new(int64(1))})
			},
		},
		{
			"elements with a list key by that",
			func(g *fixtures.Gadget) {
				g.Spec.Rules = []fixtures.GadgetPort{{Name: new("a"), Number: new(int64(2)), Part: &fixtures.GadgetPart{}}, {Name: new("a"), Number: new(int64(3))}}
			},
			func(s *fixtures.StoredGadget) {
				s.Spec.Rules = []fixtures.StoredPort{{Name: new("a"), Number: new(int64(2)), Part: &fixtures.StoredPart{}, PropertyBag: fixtures.BagOf("rule", "{}")}, {Name: new("a"), Number: new(int64(3))}}
			},
		},
		{
			"an element that has its key no longer, or not alone, gets nothing",
			func(g *fixtures.Gadget) { g.Spec.Rules = append(g.Spec.Rules, g.Spec.Rules[1]) },
			func(s *fixtures.StoredGadget) {
				s.Spec.Rules[1].PropertyBag = nil
				s.Spec.Rules = append(s.Spec.Rules, s.Spec.Rules[1])
			},
		},
		{
			"lists in lists by their looks",
			func(g *fixtures.Gadget) {
				g.Spec.Rows = [][]fixtures.GadgetPart{{g.Spec.Rows[1][1], g.Spec.Rows[1][0]}, {}}
			},
			func(s *fixtures.StoredGadget) {
				s.Spec.Rows = [][]fixtures.StoredPart{{s.Spec.Rows[1][1], s.Spec.Rows[1][0]}, {}}
			},
		},
		{
			"additional members by their names",
			func(g *fixtures.Gadget) {
				g.Spec.Open.AdditionalProperties = map[string]fixtures.GadgetPart{"extra": {}}
			},
			func(s *fixtures.StoredGadget) {
				s.Spec.Open.AdditionalProperties = map[string]fixtures.StoredPart{"extra": {PropertyBag: runtime.PropertyBag{"open": nil}}}
			},
		},
		{
			"a status that is gone",
			func(g *fixtures.Gadget) { g.Status.Main = nil },
			func(s *fixtures.StoredGadget) { s.Status.Main = nil },
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := fixtures.APIOf(t, fixtures.FullGadget())
			want := fixtures.StoredOf(t, fixtures.APIOf(t, fixtures.FullGadget()))
			test.edit(g)
			test.want(want)
			got := fixtures.StoredOf(t, g)
			got.Spec.OriginalVersion, want.Spec.OriginalVersion = "", ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLiveEntryWins(t *testing.T) {
	g := fixtures.APIOf(t, &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{OriginalVersion: fixtures.GadgetVersion, PropertyBag: fixtures.BagOf("a", "1", "b", "2")}})
	spec := &fixtures.StoredSpec{PropertyBag: fixtures.BagOf("a", `"live"`)}
	status := (*fixtures.StoredStatus)(nil)
	genruntime.Restore(g, &spec, &status)
	if diff := cmp.Diff(fixtures.BagOf("a", `"live"`, "b", "2"), spec.PropertyBag); diff != "" {
		t.Error(diff)
	}
}

func TestStatusThatIsThereForBagGoesWithIt(t *testing.T) {
	for _, test := range []struct {
		reason string
		before *fixtures.StoredStatus
		edit   func(g *fixtures.Gadget)
		want   *fixtures.StoredStatus
	}{
		{"there was none", nil, func(*fixtures.Gadget) {}, nil},
		{"there was an empty one", &fixtures.StoredStatus{}, func(*fixtures.Gadget) {}, &fixtures.StoredStatus{}},
		{"somebody wrote one", nil, func(g *fixtures.Gadget) { g.Status.Main = &fixtures.GadgetPart{} }, &fixtures.StoredStatus{Main: &fixtures.StoredPart{}}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := fixtures.APIOf(t, &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{PropertyBag: fixtures.BagOf("a", "1")}, Status: test.before})
			test.edit(g)
			if diff := cmp.Diff(test.want, fixtures.StoredOf(t, g).Status); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBagsThatCannotBeRead(t *testing.T) {
	for _, test := range []struct{ reason, bag, want string }{
		{"damaged", `{"format":1,`, "no JSON object"},
		{"followed by something", `{"format":1} x`, "no JSON object"},
		{"empty", ``, "no JSON object"},
		{"a list", `[]`, "no JSON object"},
		{"null", `null`, "no JSON object"},
		{"without a comma", `{"format":1 "spec":{}}`, "no JSON object"},
		{"with a comma too many", `{,"format":1}`, "no JSON object"},
		{"with a comma at the end", `{"format":1,}`, "no JSON object"},
		{"with a name that is no text", `{"format":1,2:3}`, "no JSON object"},
		{"without a colon", `{"format" 1}`, "no JSON object"},
		{"without a value", `{"format":1,"spec":}`, "no JSON object"},
		{"of a format that is no number", `{"format":"1"}`, "format is -1"},
		{"of another format", `{"format":2,"spec":{"bag":{"a":1}}}`, "format is 2"},
		{"of no format", `{"spec":{"bag":{"a":1}}}`, "format is 0"},
		{"too deep", `{"format":1,"spec":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "no JSON object"},
		{"too long", `{"format":1,"spec":"` + strings.Repeat("x", 1<<24) + `"}`, "too long"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			r := fixtures.Record(t)
			g := &fixtures.Gadget{ObjectMeta: metav1.ObjectMeta{Namespace: "crm", Name: "ann"}, Spec: &fixtures.GadgetSpec{}, Status: &fixtures.GadgetStatus{PropertyBag: &test.bag}}
			got := fixtures.StoredOf(t, g)
			want := &fixtures.StoredGadget{ObjectMeta: g.ObjectMeta, Spec: &fixtures.StoredSpec{OriginalVersion: fixtures.GadgetVersion}, Status: &fixtures.StoredStatus{}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if len(r.Events) != 1 || r.Events[0].What != runtime.BagDropped || r.Events[0].Name != "ann" || r.Events[0].Kind.Kind != "Gadget" || !strings.Contains(r.Events[0].Err.Error(), test.want) {
				t.Errorf("the observer was told %v", r.Events)
			}
		})
	}
}

// TestHiddenValuesStayWithinTheirList uses indices of absent elements, in lists that are parts of
// longer slices.
func TestHiddenValuesStayWithinTheirList(t *testing.T) {
	const hidden = `,{"bag":{"a":1}}],`
	for _, bag := range []string{
		`{"format":1,"raw":{"spec":{"in":{"parts":{"in":[[2` + hidden + `[-1` + hidden + `["x"` + hidden + `[1.0` + hidden + `[9223372036854775808` + hidden + `[1,{"bag":{"b":2}}]]}}}}}`,
		`{"format":1,"fingerprints":2,"spec":{"in":{"parts":{"all":"AAAAAAAAAAAAAAAAAAAAAA","in":[[2` + hidden + `[-1` + hidden + `["x"` + hidden + `[1,{"bag":{"b":2}}]]}}}}`,
		`{"format":1,"fingerprints":2,"spec":{"in":{"rules":{"keyed":true,"in":[[2,"AAAAAAAAAAA",{"bag":{"a":1}}],[-1,"AAAAAAAAAAA",{"bag":{"a":1}}],["x","",{"bag":{"a":1}}],[1,"",{"bag":{"b":2}}]]}}}}`,
	} {
		parts, rules := make([]fixtures.StoredPart, 4), make([]fixtures.StoredPort, 4)
		spec, status := &fixtures.StoredSpec{Parts: parts[1:3], Rules: rules[1:3]}, (*fixtures.StoredStatus)(nil)
		g := &fixtures.Gadget{Spec: &fixtures.GadgetSpec{}, Status: &fixtures.GadgetStatus{PropertyBag: &bag}}
		genruntime.Restore(g, &spec, &status)
		wantParts, wantRules := make([]fixtures.StoredPart, 4), make([]fixtures.StoredPort, 4)
		if strings.Contains(bag, "parts") {
			wantParts[2].PropertyBag = fixtures.BagOf("b", "2")
		} else {
			wantRules[2].PropertyBag = fixtures.BagOf("b", "2")
		}
		if diff := cmp.Diff(wantParts, parts) + cmp.Diff(wantRules, rules); diff != "" {
			t.Errorf("%s: %s", bag, diff)
		}
	}
}

// nestedSpec contains objects without pointers.
type nestedSpec struct {
	Outer struct {
		Part fixtures.StoredPart `json:"part"`
	} `json:"outer"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func TestObjectsWithinOthersHide(t *testing.T) {
	var stored, back nestedSpec
	stored.Outer.Part = fixtures.StoredPart{Color: new("red"), PropertyBag: fixtures.BagOf("a", "1")}
	back.Outer.Part.Color = new("red")
	g := &fixtures.Gadget{Spec: &fixtures.GadgetSpec{}}
	genruntime.Hide(g, &stored, (*fixtures.StoredStatus)(nil))
	spec, status := &back, (*fixtures.StoredStatus)(nil)
	genruntime.Restore(g, &spec, &status)
	if diff := cmp.Diff(stored, back); diff != "" {
		t.Errorf("%s\nby the bag %v", diff, g.StatusBag())
	}
}

// TestForeignPartsOfBag reads valid bags with members that do not belong there.
func TestForeignPartsOfBag(t *testing.T) {
	for _, bag := range []string{
		`{"format":1,"spec":5,"status":[],"declared":{},"originalVersion":7,"raw":{},"shown":[]}`,
		`{"format":1,"spec":{"bag":[],"in":{"main":{"in":[1],"bag":"x","more":{}},"none":{},"parts":{},"size":{"bag":{"a":1}}},"more":[]}}`,
		`{"format":1,"spec":{"in":{"parts":{"all":"!","in":[[0,{"bag":{"a":1}}]]},"spares":{"in":[[0,{}]]},"rows":[]}}}`,
		`{"format":1,"fingerprints":1,"spec":{"in":{"rules":{"keyed":true,"in":[[0,"AAAAAAAAAAA",{"bag":{"a":1}}],[0,"AAAAAAAAAAE",{"bag":{"a":1}}],[0,"",{"bag":{"a":1}}],[0,{"bag":{"a":1}}]]}}}}`,
		`{"format":1,"fingerprints":1,"spec":{"in":{"ports":{"all":"AAAAAAAAAAA!","in":[[0,{"bag":{"a":1}}]]}}}}`,
		`{"format":1,"fingerprints":1,"spec":{"in":{"ports":{"all":"AAAAAAAAAAAAAA","in":[[0,{"bag":{"a":1}}]]}}}}`,
		`{"format":1,"fingerprints":2,"spec":{"in":{"parts":{"keyed":true,"in":[[0,"AAAAAAAAAAA",{"bag":{"a":1}}]]}}}}`,
		`{"format":1,"fingerprints":1,"spec":{"in":{"ports":{"all":"AAAAAAAAAAA","keyed":true,"in":[[0,{"bag":{"a":1}}]]}}}}`,
		`{"format":1,"fingerprints":1,"spec":{"in":{"parts":{"all":"AAAAAAAAAAA","in":[[-1,{}],[99,{"bag":{"a":1}}],["x",{}],7,[],[0]]}}}}`,
		`{"format":1,"raw":{"spec":{"bag":7,"in":{"parts":{"in":[[7,{"bag":{"x":1}}],[-1,{}],[1],[2,[]],{},9223372036854775807]},"size":{"bag":{}},"lines":{"in":[[0,{}]]}}},"metadata":{"bag":{"x":1}},"status":7}}`,
	} {
		g := &fixtures.Gadget{Spec: &fixtures.GadgetSpec{Main: &fixtures.GadgetPart{}, Parts: []fixtures.GadgetPart{{Color: new("a")}}, Ports: []fixtures.GadgetPort{{}}, Rules: []fixtures.GadgetPort{{}}, Size: new("x"), Lines: []string{"a"}}, Status: &fixtures.GadgetStatus{PropertyBag: &bag}}
		got := fixtures.StoredOf(t, g)
		if strings.Contains(bag, `["spec"],1,2`) {
			got.Spec.PropertyBag = nil // the object itself is a place
		}
		if hidden.Hides(shape.Of(shape.Pointee(got, 1)), shape.Address(got)) {
			t.Errorf("%s gave %v", bag, got.Spec)
		}
	}
}

// TestUnknownFingerprintsCountAsUnchanged covers the original version, and lists of the same
// length.
func TestUnknownFingerprintsCountAsUnchanged(t *testing.T) {
	g := fixtures.APIOf(t, &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{
		OriginalVersion: "v20110101",
		Parts:           []fixtures.StoredPart{{Color: new("a"), PropertyBag: fixtures.BagOf("k", "1")}, {Color: new("b")}},
		Rules:           []fixtures.StoredPort{{Name: new("a"), Number: new(int64(1)), PropertyBag: fixtures.BagOf("k", "2")}},
	}})
	*g.Status.PropertyBag = strings.Replace(*g.Status.PropertyBag, `"fingerprints":1`, `"fingerprints":2`, 1)
	g.Spec.Parts[0].Color, g.Spec.Rules[0].Number = new("c"), new(int64(2))
	got := fixtures.StoredOf(t, g)
	if got.Spec.OriginalVersion != "v20110101" || got.Spec.Parts[0].PropertyBag == nil || got.Spec.Rules[0].PropertyBag == nil {
		t.Errorf("got %+v", got.Spec)
	}
	g.Spec.Parts = g.Spec.Parts[:1]
	if got := fixtures.StoredOf(t, g); got.Spec.Parts[0].PropertyBag != nil {
		t.Error("a list of another length got a hidden value")
	}
}

// TestHugeListsHaveNoLeaves checks that equal elements of huge lists preserve their hidden
// values, and edited ones do not.
func TestHugeListsHaveNoLeaves(t *testing.T) {
	stored := &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{OriginalVersion: fixtures.GadgetVersion, Parts: make([]fixtures.StoredPart, 1<<15+1)}}
	for i := range stored.Spec.Parts {
		stored.Spec.Parts[i] = fixtures.StoredPart{Weight: new(int64(i + 1)), Ratio: new(0.5)}
	}
	stored.Spec.Parts[7].PropertyBag, stored.Spec.Parts[9].PropertyBag = fixtures.BagOf("a", "7"), fixtures.BagOf("a", "9")
	g := fixtures.APIOf(t, stored)
	if strings.Contains(*g.StatusBag(), `"leaves"`) {
		t.Error("the bag has leaves")
	}
	g.Spec.Parts = g.Spec.Parts[1:]
	g.Spec.Parts[6].Ratio = new(0.25)
	got := fixtures.StoredOf(t, g).Spec.Parts
	if got[6].PropertyBag != nil || string(got[8].PropertyBag["a"]) != "9" {
		t.Errorf("got %v and %v", got[6].PropertyBag, got[8].PropertyBag)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(*fixtures.APIOf(f, fixtures.FullGadget()).StatusBag())
	f.Add(`{"format":1,"raw":{"spec":{"in":{"parts":{"in":[[0,{"bag":{"color@v20140404!raw":5}}]]}}}}}`)
	f.Fuzz(func(t *testing.T, bag string) {
		g := fixtures.APIOf(t, fixtures.FullGadget())
		g.SetStatusBag(&bag)
		stored := fixtures.StoredOf(t, g)
		again := fixtures.StoredOf(t, fixtures.APIOf(t, stored))
		if diff := cmp.Diff(stored, again); diff != "" {
			t.Errorf("%s gave what does not come back: %s", bag, diff)
		}
	})
}
