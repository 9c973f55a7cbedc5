package genruntime

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
)

var update = flag.Bool("update", false, "write the golden files")

func bagOf(entries ...string) runtime.PropertyBag {
	var b runtime.PropertyBag
	for i := 0; i < len(entries); i += 2 {
		bag.Set(&b, entries[i], runtime.JSON(entries[i+1]))
	}
	return b
}

// fullGadget hides something at every sort of place.
func fullGadget() *storedGadget {
	part := func(color string, hidden ...string) storedPart {
		return storedPart{Color: new(color), Weight: new(int64(7)), Labels: map[string]string{"a": color, "b": "1", "c": "2"}, PropertyBag: bagOf(hidden...)}
	}
	inner := part("deep", "z", `{"b": [1.0, null], "a": "<&>\u00e9"}`)
	main := part("main", "b", `2`, "a", `"ä\n"`)
	main.Inner = &inner
	main.Parts = []storedPart{part("p"), part("q", "k", "true")}
	return &storedGadget{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "ann",
			Namespace:   "crm",
			Annotations: map[string]string{lastAppliedKey: `{"apiVersion":"crm.example.com/v20140404","kind":"Gadget"}`},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "flux", Operation: metav1.ManagedFieldsOperationApply, APIVersion: group + "/" + gadgetVersion, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:size":{}}}`)},
			},
		},
		Spec: &storedSpec{
			Size:  new("large"),
			Main:  &main,
			Parts: []storedPart{part("red"), part("red", "first", "1"), part("blue"), part("red", "second", "2")},
			Ports: []storedPort{{Name: new("http"), PropertyBag: bagOf("x", "1")}, {Name: new("dns"), Part: &storedPart{PropertyBag: bagOf("y", "[]")}}},
			Rows:  [][]storedPart{{}, {part("a"), part("b", "cell", `"b"`)}},
			Rules: []storedPort{{Name: new("a"), Number: new(int64(1))}, {Name: new("a"), Number: new(int64(2)), PropertyBag: bagOf("rule", "{}")}},
			Spares: map[string]storedPart{
				"two": part("2", "spare", "2"), "one": part("1", "spare", "1"), "none": part("0"),
			},
			Open:            &storedOpen{AdditionalProperties: map[string]storedPart{"extra": part("e", "open", "null")}, PropertyBag: bagOf("o", "0")},
			OriginalVersion: "v20110101",
			PropertyBag:     bagOf("top", "12345678901234567890"),
		},
		Status: &storedStatus{Main: &storedPart{PropertyBag: bagOf("s", "false")}},
	}
}

func shownOf(t testing.TB, stored *storedGadget) *gadget {
	t.Helper()
	var g gadget
	if err := g.convertFromStorage(stored); err != nil {
		t.Fatal(err)
	}
	return &g
}

func storedOf(t testing.TB, g *gadget) *storedGadget {
	t.Helper()
	var stored storedGadget
	if err := g.convertToStorage(&stored); err != nil {
		t.Fatal(err)
	}
	stored.TypeMeta = metav1.TypeMeta{}
	return &stored
}

// TestBytesOfTheBag holds the format for ever: bags of these bytes are in clients' hands.
func TestBytesOfTheBag(t *testing.T) {
	for _, test := range []struct {
		name   string
		stored *storedGadget
	}{
		{"full", fullGadget()},
		{"original", &storedGadget{Spec: &storedSpec{Size: new("large"), OriginalVersion: "v20110101"}}},
		{"empty-original", &storedGadget{Spec: &storedSpec{}, Status: &storedStatus{}}},
		{"status-alone", &storedGadget{Status: &storedStatus{PropertyBag: bagOf("a", `"\u0007"`)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := *shownOf(t, test.stored).StatusBag() + "\n"
			file := filepath.Join("testdata", "bag", test.name+".json")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
			if !json.Valid([]byte(got)) {
				t.Error("the bag is no JSON")
			}
		})
	}
}

func TestBytesAreTheSameInAThousandRuns(t *testing.T) {
	want := *shownOf(t, fullGadget()).StatusBag()
	for range 1000 {
		if got := *shownOf(t, fullGadget()).StatusBag(); got != want {
			t.Fatalf("%s\nand\n%s", got, want)
		}
	}
}

// TestBytesAreTheSameInAnotherProcess runs this test again, as a process that writes the bag.
func TestBytesAreTheSameInAnotherProcess(t *testing.T) {
	const asked = "STRATA_WRITE_BAG"
	bag := *shownOf(t, fullGadget()).StatusBag()
	if os.Getenv(asked) != "" {
		os.Stdout.WriteString(bag)
		return
	}
	command := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	command.Env = append(os.Environ(), asked+"=1")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out), bag) {
		t.Errorf("another process writes %s, this one %s", out, bag)
	}
}

func TestBytesAreTheSameInManyGoroutines(t *testing.T) {
	want := *shownOf(t, fullGadget()).StatusBag()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				g := shownOf(t, fullGadget())
				if got := *g.StatusBag(); got != want {
					t.Errorf("%s", got)
				}
				storedOf(t, g)
			}
		})
	}
	all.Wait()
}

func TestNothingHiddenCostsNoMemory(t *testing.T) {
	stored := bigGadget(false)
	stored.Spec.Open = &storedOpen{AdditionalProperties: map[string]storedPart{"a": {}, "b": {}}}
	g := shownOf(t, stored)
	if allocs := testing.AllocsPerRun(100, func() { Hide(g, stored.Spec, stored.Status) }); allocs != 0 {
		t.Errorf("hide allocates %v times", allocs)
	}
	if allocs := testing.AllocsPerRun(100, func() { Restore(g, &stored.Spec, &stored.Status) }); allocs != 0 {
		t.Errorf("restore allocates %v times", allocs)
	}
	var none Expressions
	if allocs := testing.AllocsPerRun(100, func() { Settle(stored.Spec, none) }); allocs != 0 {
		t.Errorf("settle allocates %v times", allocs)
	}
}

func TestSourcesDoNotChange(t *testing.T) {
	stored := fullGadget()
	g := shownOf(t, stored)
	if diff := cmp.Diff(fullGadget(), stored); diff != "" {
		t.Errorf("hiding changed the storage object: %s", diff)
	}
	before := *g.StatusBag()
	got := storedOf(t, g)
	got.Spec.Main.PropertyBag["a"][1] = 'x'
	if *g.StatusBag() != before {
		t.Error("the restored object shares memory with the bag")
	}
}

func TestNothingHiddenLeavesNoBag(t *testing.T) {
	for _, test := range []struct {
		reason string
		stored *storedGadget
	}{
		{"an empty object", &storedGadget{}},
		{"a status alone", &storedGadget{Status: &storedStatus{}}},
		{"its own original version, and bags that are empty", &storedGadget{Spec: &storedSpec{OriginalVersion: gadgetVersion, PropertyBag: runtime.PropertyBag{}, Parts: []storedPart{{PropertyBag: runtime.PropertyBag{}}}}}},
		{"entries that are no JSON", &storedGadget{Spec: &storedSpec{OriginalVersion: gadgetVersion, PropertyBag: bagOf("a", "{")}}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := shownOf(t, test.stored)
			if bag := g.StatusBag(); bag != nil {
				t.Errorf("the bag is %s", *bag)
			}
			if (g.Status != nil) != (test.stored.Status != nil) {
				t.Error("a status came or went")
			}
		})
	}
}

// drawPart draws a part, with a bag where the draw wants one.
func drawPart(t *rapid.T, depth int) storedPart {
	p := storedPart{
		Color:  rapid.Ptr(rapid.SampledFrom([]string{"", "red", "blue"}), true).Draw(t, "color"),
		Weight: rapid.Ptr(rapid.Int64Range(0, 2), true).Draw(t, "weight"),
		Ratio:  rapid.Ptr(rapid.SampledFrom([]float64{0, 1, 0.5}), true).Draw(t, "ratio"),
	}
	if rapid.Bool().Draw(t, "hides") {
		p.PropertyBag = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "é\n"}), rapid.SampledFrom([]runtime.JSON{runtime.JSON("1.0"), runtime.JSON(`{"b":1,"a":"\u00e9"}`), nil, runtime.JSON("[]")}), 1, 2).Draw(t, "bag")
	}
	if depth > 0 {
		p.Parts = drawParts(t, depth-1)
		if rapid.Bool().Draw(t, "with inner") {
			p.Inner = new(drawPart(t, depth-1))
		}
	}
	return p
}

func drawParts(t *rapid.T, depth int) []storedPart {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) storedPart { return drawPart(t, depth) }), -1, 3).Draw(t, "parts")
}

func drawGadget(t *rapid.T) *storedGadget {
	stored := &storedGadget{}
	if rapid.Bool().Draw(t, "with spec") {
		stored.Spec = drawSpec(t)
	}
	if rapid.Bool().Draw(t, "with status") {
		stored.Status = &storedStatus{Main: new(drawPart(t, 1)), PropertyBag: drawPart(t, 0).PropertyBag}
	}
	return stored
}

func drawSpec(t *rapid.T) *storedSpec {
	ports := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) storedPort {
		return storedPort{
			Name:   rapid.Ptr(rapid.SampledFrom([]string{"a", "b", "c"}), true).Draw(t, "name"),
			Number: rapid.Ptr(rapid.Int64Range(0, 2), true).Draw(t, "number"),
			Part:   new(drawPart(t, 0)),
		}
	}), -1, 3)
	parts := rapid.MapOfN(rapid.SampledFrom([]string{"x", "y", ""}), rapid.Custom(func(t *rapid.T) storedPart { return drawPart(t, 1) }), 0, 3)
	spec := &storedSpec{
		Size:            rapid.Ptr(rapid.SampledFrom([]string{"", "small", "large"}), true).Draw(t, "size"),
		Main:            new(drawPart(t, 2)),
		Parts:           drawParts(t, 1),
		Ports:           ports.Draw(t, "ports"),
		Rules:           ports.Draw(t, "rules"),
		Rows:            rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []storedPart { return drawParts(t, 0) }), -1, 3).Draw(t, "rows"),
		Spares:          parts.Draw(t, "spares"),
		OriginalVersion: rapid.SampledFrom([]string{"", gadgetVersion, "v20110101"}).Draw(t, "original"),
		PropertyBag:     drawPart(t, 0).PropertyBag,
	}
	if rapid.Bool().Draw(t, "with open") {
		spec.Open = &storedOpen{PropertyBag: drawPart(t, 0).PropertyBag}
		if more := parts.Draw(t, "more"); len(more) > 0 {
			spec.Open.AdditionalProperties = more
		}
	}
	return spec
}

// TestHiddenValuesComeBack is the hub law between an API version and its own storage type.
func TestHiddenValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored := drawGadget(t)
		g := &gadget{}
		if err := g.convertFromStorage(stored); err != nil {
			t.Fatal(err)
		}
		got := &storedGadget{}
		if err := g.convertToStorage(got); err != nil {
			t.Fatal(err)
		}
		got.TypeMeta = metav1.TypeMeta{}
		if diff := cmp.Diff(stored, got); diff != "" {
			t.Fatalf("%s\nby the bag %v", diff, g.StatusBag())
		}
	})
}

func TestTheFullGadgetComesBack(t *testing.T) {
	want := fullGadget()
	g := shownOf(t, want)
	want.Spec.Main.Inner.PropertyBag["z"] = runtime.JSON(`{"b":[1.0,null],"a":"<&>\u00e9"}`) // but for white space
	want.Spec.Open.AdditionalProperties["extra"].PropertyBag["open"] = nil
	if diff := cmp.Diff(want, storedOf(t, g)); diff != "" {
		t.Error(diff)
	}
}

// TestOnlyWhatIsEditedChanges is the edit law between an API version and its own storage type.
func TestOnlyWhatIsEditedChanges(t *testing.T) {
	edits := map[string]struct {
		api    func(g *gadgetSpec)
		stored func(s *storedSpec)
	}{
		"a scalar":         {func(g *gadgetSpec) { g.Count = new(int64(9)) }, func(s *storedSpec) { s.Count = new(int64(9)) }},
		"one in an object": {func(g *gadgetSpec) { g.Main.Color = new("new") }, func(s *storedSpec) { s.Main.Color = new("new") }},
		"an object":        {func(g *gadgetSpec) { g.Main = nil }, func(s *storedSpec) { s.Main = nil }},
		"a map":            {func(g *gadgetSpec) { delete(g.Spares, "x") }, func(s *storedSpec) { delete(s.Spares, "x") }},
		"the end of a list": {
			func(g *gadgetSpec) { g.Parts = append(g.Parts, gadgetPart{Color: new("new")}) },
			func(s *storedSpec) { s.Parts = append(s.Parts, storedPart{Color: new("new")}) },
		},
		"the beginning of a list of lists": {
			func(g *gadgetSpec) { g.Rows = append([][]gadgetPart{{{Color: new("new")}}}, g.Rows...) },
			func(s *storedSpec) { s.Rows = append([][]storedPart{{{Color: new("new")}}}, s.Rows...) },
		},
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				stored := &storedGadget{Spec: drawSpec(t)}
				g, got := &gadget{}, &storedGadget{}
				if err := g.convertFromStorage(stored); err != nil {
					t.Fatal(err)
				}
				edit.api(g.Spec)
				if err := g.convertToStorage(got); err != nil {
					t.Fatal(err)
				}
				edit.stored(stored.Spec)
				got.Spec.OriginalVersion, stored.Spec.OriginalVersion = "", ""
				if diff := cmp.Diff(stored.Spec, got.Spec); diff != "" {
					t.Fatalf("%s\nby the bag %v", diff, g.StatusBag())
				}
			})
		})
	}
}
