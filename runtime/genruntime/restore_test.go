package genruntime

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
)

// recorder is an observer that remembers.
type recorder struct {
	sync.Mutex
	events []runtime.Event
}

func (r *recorder) Observe(event runtime.Event) {
	r.Lock()
	defer r.Unlock()
	r.events = append(r.events, event)
}

func record(t testing.TB) *recorder {
	r := &recorder{}
	runtime.SetObserver(r)
	t.Cleanup(func() { runtime.SetObserver(nil) })
	return r
}

func TestRestore(t *testing.T) {
	for _, test := range []struct {
		reason string
		edit   func(g *gadget)
		want   func(s *storedGadget)
	}{
		{"nothing was edited", func(*gadget) {}, func(*storedGadget) {}},
		{
			"an object that is gone takes what it hid with it",
			func(g *gadget) { g.Spec.Main = nil },
			func(s *storedGadget) { s.Spec.Main = nil },
		},
		{
			"a list that is gone does",
			func(g *gadget) { g.Spec.Rows, g.Spec.Parts = nil, []gadgetPart{} },
			func(s *storedGadget) { s.Spec.Rows, s.Spec.Parts = nil, []storedPart{} },
		},
		{
			"values of maps are found by their keys",
			func(g *gadget) {
				g.Spec.Spares = map[string]gadgetPart{"one": {}, "three": g.Spec.Spares["two"]}
			},
			func(s *storedGadget) {
				s.Spec.Spares = map[string]storedPart{"one": {PropertyBag: bagOf("spare", "1")}, "three": {Color: new("2"), Weight: new(int64(7)), Labels: s.Spec.Spares["two"].Labels}}
			},
		},
		{
			"named elements by their names, however they changed",
			func(g *gadget) {
				g.Spec.Ports = []gadgetPort{{Name: new("dns"), Number: new(int64(53)), Part: &gadgetPart{}}, {Name: new("new")}, {Name: new("http")}}
			},
			func(s *storedGadget) {
				s.Spec.Ports = []storedPort{
					{Name: new("dns"), Number: new(int64(53)), Part: &storedPart{PropertyBag: bagOf("y", "[]")}},
					{Name: new("new")},
					{Name: new("http"), PropertyBag: bagOf("x", "1")},
				}
			},
		},
		{
			"named elements by their names, where they look like each other",
			func(g *gadget) {
				g.Spec.Ports[0].Number, g.Spec.Ports[1].Number = new(int64(7)), new(int64(8))
				g.Spec.Ports[0].Part, g.Spec.Ports[1].Part = &gadgetPart{}, nil
			},
			func(s *storedGadget) {
				s.Spec.Ports[0].Number, s.Spec.Ports[1].Number = new(int64(7)), new(int64(8))
				s.Spec.Ports[0].Part, s.Spec.Ports[1].Part = &storedPart{}, nil
			},
		},
		{
			"by looks, where a name is there twice",
			func(g *gadget) {
				g.Spec.Ports = append(g.Spec.Ports, gadgetPort{Name: new("dns"), Number: new(int64(1))})
			},
			func(s *storedGadget) {
				s.Spec.Ports = append(s.Spec.Ports, storedPort{Name: new("dns"), Number: new(int64(1))})
			},
		},
		{
			"elements with a list key by that",
			func(g *gadget) {
				g.Spec.Rules = []gadgetPort{{Name: new("a"), Number: new(int64(2)), Part: &gadgetPart{}}, {Name: new("a"), Number: new(int64(3))}}
			},
			func(s *storedGadget) {
				s.Spec.Rules = []storedPort{{Name: new("a"), Number: new(int64(2)), Part: &storedPart{}, PropertyBag: bagOf("rule", "{}")}, {Name: new("a"), Number: new(int64(3))}}
			},
		},
		{
			"an element that has its key no longer, or not alone, gets nothing",
			func(g *gadget) { g.Spec.Rules = append(g.Spec.Rules, g.Spec.Rules[1]) },
			func(s *storedGadget) {
				s.Spec.Rules[1].PropertyBag = nil
				s.Spec.Rules = append(s.Spec.Rules, s.Spec.Rules[1])
			},
		},
		{
			"lists in lists by their looks",
			func(g *gadget) { g.Spec.Rows = [][]gadgetPart{{g.Spec.Rows[1][1], g.Spec.Rows[1][0]}, {}} },
			func(s *storedGadget) { s.Spec.Rows = [][]storedPart{{s.Spec.Rows[1][1], s.Spec.Rows[1][0]}, {}} },
		},
		{
			"additional members by their names",
			func(g *gadget) { g.Spec.Open.AdditionalProperties = map[string]gadgetPart{"extra": {}} },
			func(s *storedGadget) {
				s.Spec.Open.AdditionalProperties = map[string]storedPart{"extra": {PropertyBag: runtime.PropertyBag{"open": nil}}}
			},
		},
		{
			"a status that is gone",
			func(g *gadget) { g.Status.Main = nil },
			func(s *storedGadget) { s.Status.Main = nil },
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := shownOf(t, fullGadget())
			want := storedOf(t, shownOf(t, fullGadget()))
			test.edit(g)
			test.want(want)
			got := storedOf(t, g)
			got.Spec.OriginalVersion, want.Spec.OriginalVersion = "", ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestALiveEntryWins(t *testing.T) {
	g := shownOf(t, &storedGadget{Spec: &storedSpec{OriginalVersion: gadgetVersion, PropertyBag: bagOf("a", "1", "b", "2")}})
	spec := &storedSpec{PropertyBag: bagOf("a", `"live"`)}
	status := (*storedStatus)(nil)
	Restore(g, &spec, &status)
	if diff := cmp.Diff(bagOf("a", `"live"`, "b", "2"), spec.PropertyBag); diff != "" {
		t.Error(diff)
	}
}

func TestAStatusThatIsThereForTheBagGoesWithIt(t *testing.T) {
	for _, test := range []struct {
		reason string
		before *storedStatus
		edit   func(g *gadget)
		want   *storedStatus
	}{
		{"there was none", nil, func(*gadget) {}, nil},
		{"there was an empty one", &storedStatus{}, func(*gadget) {}, &storedStatus{}},
		{"somebody wrote one", nil, func(g *gadget) { g.Status.Main = &gadgetPart{} }, &storedStatus{Main: &storedPart{}}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := shownOf(t, &storedGadget{Spec: &storedSpec{PropertyBag: bagOf("a", "1")}, Status: test.before})
			test.edit(g)
			if diff := cmp.Diff(test.want, storedOf(t, g).Status); diff != "" {
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
			r := record(t)
			g := &gadget{ObjectMeta: metav1.ObjectMeta{Namespace: "crm", Name: "ann"}, Spec: &gadgetSpec{}, Status: &gadgetStatus{PropertyBag: &test.bag}}
			got := storedOf(t, g)
			want := &storedGadget{ObjectMeta: g.ObjectMeta, Spec: &storedSpec{OriginalVersion: gadgetVersion}, Status: &storedStatus{}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if len(r.events) != 1 || r.events[0].What != runtime.BagDropped || r.events[0].Name != "ann" || r.events[0].Kind.Kind != "Gadget" || !strings.Contains(r.events[0].Err.Error(), test.want) {
				t.Errorf("the observer was told %v", r.events)
			}
		})
	}
}

// TestHiddenValuesStayWithinTheirList has indices of elements that are not there, in lists that lie in a longer piece of memory.
func TestHiddenValuesStayWithinTheirList(t *testing.T) {
	const hidden = `,{"bag":{"a":1}}],`
	for _, bag := range []string{
		`{"format":1,"raw":{"spec":{"in":{"parts":{"in":[[2` + hidden + `[-1` + hidden + `["x"` + hidden + `[1.0` + hidden + `[9223372036854775808` + hidden + `[1,{"bag":{"b":2}}]]}}}}}`,
		`{"format":1,"fingerprints":2,"spec":{"in":{"parts":{"all":"AAAAAAAAAAAAAAAAAAAAAA","in":[[2` + hidden + `[-1` + hidden + `["x"` + hidden + `[1,{"bag":{"b":2}}]]}}}}`,
		`{"format":1,"fingerprints":2,"spec":{"in":{"rules":{"keyed":true,"in":[[2,"AAAAAAAAAAA",{"bag":{"a":1}}],[-1,"AAAAAAAAAAA",{"bag":{"a":1}}],["x","",{"bag":{"a":1}}],[1,"",{"bag":{"b":2}}]]}}}}`,
	} {
		parts, rules := make([]storedPart, 4), make([]storedPort, 4)
		spec, status := &storedSpec{Parts: parts[1:3], Rules: rules[1:3]}, (*storedStatus)(nil)
		g := &gadget{Spec: &gadgetSpec{}, Status: &gadgetStatus{PropertyBag: &bag}}
		Restore(g, &spec, &status)
		wantParts, wantRules := make([]storedPart, 4), make([]storedPort, 4)
		if strings.Contains(bag, "parts") {
			wantParts[2].PropertyBag = bagOf("b", "2")
		} else {
			wantRules[2].PropertyBag = bagOf("b", "2")
		}
		if diff := cmp.Diff(wantParts, parts) + cmp.Diff(wantRules, rules); diff != "" {
			t.Errorf("%s: %s", bag, diff)
		}
	}
}

// nestedSpec has objects that lie within it, behind no pointer.
type nestedSpec struct {
	Outer struct {
		Part storedPart `json:"part"`
	} `json:"outer"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func TestObjectsWithinOthersHide(t *testing.T) {
	var stored, back nestedSpec
	stored.Outer.Part = storedPart{Color: new("red"), PropertyBag: bagOf("a", "1")}
	back.Outer.Part.Color = new("red")
	g := &gadget{Spec: &gadgetSpec{}}
	Hide(g, &stored, (*storedStatus)(nil))
	spec, status := &back, (*storedStatus)(nil)
	Restore(g, &spec, &status)
	if diff := cmp.Diff(stored, back); diff != "" {
		t.Errorf("%s\nby the bag %v", diff, g.StatusBag())
	}
}

// TestForeignPartsOfABag has bags that are read, but hold what does not belong there.
func TestForeignPartsOfABag(t *testing.T) {
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
		g := &gadget{Spec: &gadgetSpec{Main: &gadgetPart{}, Parts: []gadgetPart{{Color: new("a")}}, Ports: []gadgetPort{{}}, Rules: []gadgetPort{{}}, Size: new("x"), Lines: []string{"a"}}, Status: &gadgetStatus{PropertyBag: &bag}}
		got := storedOf(t, g)
		if strings.Contains(bag, `["spec"],1,2`) {
			got.Spec.PropertyBag = nil // the object itself is a place
		}
		if hides(shapeOf(pointee(got, 1)), target(got)) {
			t.Errorf("%s gave %v", bag, got.Spec)
		}
	}
}

// TestUnknownFingerprintsCountAsUnchanged holds for the original version, and for lists of the same length.
func TestUnknownFingerprintsCountAsUnchanged(t *testing.T) {
	g := shownOf(t, &storedGadget{Spec: &storedSpec{
		OriginalVersion: "v20110101",
		Parts:           []storedPart{{Color: new("a"), PropertyBag: bagOf("k", "1")}, {Color: new("b")}},
		Rules:           []storedPort{{Name: new("a"), Number: new(int64(1)), PropertyBag: bagOf("k", "2")}},
	}})
	*g.Status.PropertyBag = strings.Replace(*g.Status.PropertyBag, `"fingerprints":1`, `"fingerprints":2`, 1)
	g.Spec.Parts[0].Color, g.Spec.Rules[0].Number = new("c"), new(int64(2))
	got := storedOf(t, g)
	if got.Spec.OriginalVersion != "v20110101" || got.Spec.Parts[0].PropertyBag == nil || got.Spec.Rules[0].PropertyBag == nil {
		t.Errorf("got %+v", got.Spec)
	}
	g.Spec.Parts = g.Spec.Parts[:1]
	if got := storedOf(t, g); got.Spec.Parts[0].PropertyBag != nil {
		t.Error("a list of another length got a hidden value")
	}
}

// TestHugeListsHaveNoLeaves holds what is promised of them: what is equal keeps what it hides, what is edited does not.
func TestHugeListsHaveNoLeaves(t *testing.T) {
	stored := &storedGadget{Spec: &storedSpec{OriginalVersion: gadgetVersion, Parts: make([]storedPart, 1<<15+1)}}
	for i := range stored.Spec.Parts {
		stored.Spec.Parts[i] = storedPart{Weight: new(int64(i + 1)), Ratio: new(0.5)}
	}
	stored.Spec.Parts[7].PropertyBag, stored.Spec.Parts[9].PropertyBag = bagOf("a", "7"), bagOf("a", "9")
	g := shownOf(t, stored)
	if strings.Contains(*g.StatusBag(), `"leaves"`) {
		t.Error("the bag has leaves")
	}
	g.Spec.Parts = g.Spec.Parts[1:]
	g.Spec.Parts[6].Ratio = new(0.25)
	got := storedOf(t, g).Spec.Parts
	if got[6].PropertyBag != nil || string(got[8].PropertyBag["a"]) != "9" {
		t.Errorf("got %v and %v", got[6].PropertyBag, got[8].PropertyBag)
	}
}

// TestLeavesOfAList checks that both engines write the leaves of a list up to the documented number. The number is
// part of the format, since old bags and new ones must be read alike.
func TestLeavesOfAList(t *testing.T) {
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
			stored := &storedGadget{Spec: &storedSpec{OriginalVersion: gadgetVersion, Parts: make([]storedPart, 2)}}
			stored.Spec.Parts[0] = storedPart{Labels: map[string]string{}, PropertyBag: bagOf("a", "7")}
			stored.Spec.Parts[1] = storedPart{Color: new("red")}
			for i := range test.leaves - 1 {
				stored.Spec.Parts[0].Labels[strconv.Itoa(i)] = "l"
			}
			typed := *shownOf(t, stored).StatusBag()
			if got := strings.Contains(typed, `"leaves"`); got != test.want {
				t.Errorf("the bag has leaves: %v", got)
			}
			stored.TypeMeta = metav1.TypeMeta{APIVersion: group + "/" + gadgetHub, Kind: "Gadget"}
			stored.Name = "g"
			data, err := Encode(stored)
			if err != nil {
				t.Fatal(err)
			}
			out, ok := down.Append(nil, data)
			if !ok {
				t.Fatal("the plan refuses the object")
			}
			var planned gadget
			if err := Decode(out, &planned); err != nil {
				t.Fatal(err)
			}
			if *planned.StatusBag() != typed {
				t.Error("the engines write different bags")
			}
		})
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(*shownOf(f, fullGadget()).StatusBag())
	f.Add(`{"format":1,"raw":{"spec":{"in":{"parts":{"in":[[0,{"bag":{"color@v20140404!raw":5}}]]}}}}}`)
	f.Fuzz(func(t *testing.T, bag string) {
		g := shownOf(t, fullGadget())
		g.SetStatusBag(&bag)
		stored := storedOf(t, g)
		again := storedOf(t, shownOf(t, stored))
		if diff := cmp.Diff(stored, again); diff != "" {
			t.Errorf("%s gave what does not come back: %s", bag, diff)
		}
	})
}
