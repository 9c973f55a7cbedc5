package genruntime_test

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
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

var update = flag.Bool("update", false, "write the golden files")

// TestBytesOfBag tests the stored format, which must never change: objects in clusters have
// bags of these bytes.
func TestBytesOfBag(t *testing.T) {
	for _, test := range []struct {
		name   string
		stored *fixtures.StoredGadget
	}{
		{"full", fixtures.FullGadget()},
		{"original", &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{Size: new("large"), OriginalVersion: "v20110101"}}},
		{"empty-original", &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{}, Status: &fixtures.StoredStatus{}}},
		{"status-alone", &fixtures.StoredGadget{Status: &fixtures.StoredStatus{PropertyBag: fixtures.BagOf("a", `"\u0007"`)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := *fixtures.APIOf(t, test.stored).StatusBag() + "\n"
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

func TestBytesAreSameInThousandRuns(t *testing.T) {
	want := *fixtures.APIOf(t, fixtures.FullGadget()).StatusBag()
	for range 1000 {
		if got := *fixtures.APIOf(t, fixtures.FullGadget()).StatusBag(); got != want {
			t.Fatalf("%s\nand\n%s", got, want)
		}
	}
}

// TestBytesAreSameInAnotherProcess runs this test again, as a process that writes the bag.
func TestBytesAreSameInAnotherProcess(t *testing.T) {
	const asked = "STRATA_WRITE_BAG"
	bag := *fixtures.APIOf(t, fixtures.FullGadget()).StatusBag()
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

func TestBytesAreSameInManyGoroutines(t *testing.T) {
	want := *fixtures.APIOf(t, fixtures.FullGadget()).StatusBag()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				g := fixtures.APIOf(t, fixtures.FullGadget())
				if got := *g.StatusBag(); got != want {
					t.Errorf("%s", got)
				}
				fixtures.StoredOf(t, g)
			}
		})
	}
	all.Wait()
}

func TestNothingHiddenCostsNoMemory(t *testing.T) {
	stored := fixtures.BigGadget(false)
	stored.Spec.Open = &fixtures.StoredOpen{AdditionalProperties: map[string]fixtures.StoredPart{"a": {}, "b": {}}}
	g := fixtures.APIOf(t, stored)
	if allocs := testing.AllocsPerRun(100, func() { genruntime.Hide(g, stored.Spec, stored.Status) }); allocs != 0 {
		t.Errorf("hide allocates %v times", allocs)
	}
	if allocs := testing.AllocsPerRun(100, func() { genruntime.Restore(g, &stored.Spec, &stored.Status) }); allocs != 0 {
		t.Errorf("restore allocates %v times", allocs)
	}
	var none genruntime.Expressions
	if allocs := testing.AllocsPerRun(100, func() { genruntime.DecideOriginal(nil, stored.Spec, none) }); allocs != 0 {
		t.Errorf("DecideOriginal allocates %v times", allocs)
	}
}

func TestSourcesDoNotChange(t *testing.T) {
	stored := fixtures.FullGadget()
	g := fixtures.APIOf(t, stored)
	if diff := cmp.Diff(fixtures.FullGadget(), stored); diff != "" {
		t.Errorf("hiding changed the storage object: %s", diff)
	}
	before := *g.StatusBag()
	got := fixtures.StoredOf(t, g)
	got.Spec.Main.PropertyBag["a"][1] = 'x'
	if *g.StatusBag() != before {
		t.Error("the restored object shares memory with the bag")
	}
}

func TestNothingHiddenLeavesNoBag(t *testing.T) {
	for _, test := range []struct {
		reason string
		stored *fixtures.StoredGadget
	}{
		{"an empty object", &fixtures.StoredGadget{}},
		{"a status alone", &fixtures.StoredGadget{Status: &fixtures.StoredStatus{}}},
		{"its own original version, and bags that are empty", &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{OriginalVersion: fixtures.GadgetVersion, PropertyBag: runtime.PropertyBag{}, Parts: []fixtures.StoredPart{{PropertyBag: runtime.PropertyBag{}}}}}},
		{"entries that are no JSON", &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{OriginalVersion: fixtures.GadgetVersion, PropertyBag: fixtures.BagOf("a", "{")}}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := fixtures.APIOf(t, test.stored)
			if bag := g.StatusBag(); bag != nil {
				t.Errorf("the bag is %s", *bag)
			}
			if (g.Status != nil) != (test.stored.Status != nil) {
				t.Error("a status came or went")
			}
		})
	}
}

// TestHiddenValuesComeBack is the hub law between an API version and its own storage type.
func TestHiddenValuesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored := fixtures.DrawGadget(t)
		g := &fixtures.Gadget{}
		if err := g.ConvertFromStorage(stored); err != nil {
			t.Fatal(err)
		}
		got := &fixtures.StoredGadget{}
		if err := g.ConvertToStorage(got); err != nil {
			t.Fatal(err)
		}
		got.TypeMeta = metav1.TypeMeta{}
		if diff := cmp.Diff(stored, got); diff != "" {
			t.Fatalf("%s\nby the bag %v", diff, g.StatusBag())
		}
	})
}

func TestFullGadgetComesBack(t *testing.T) {
	want := fixtures.FullGadget()
	g := fixtures.APIOf(t, want)
	want.Spec.Main.Inner.PropertyBag["z"] = runtime.JSON(`{"b":[1.0,null],"a":"<&>\u00e9"}`) // without white space
	want.Spec.Open.AdditionalProperties["extra"].PropertyBag["open"] = nil
	if diff := cmp.Diff(want, fixtures.StoredOf(t, g)); diff != "" {
		t.Error(diff)
	}
}

// TestOnlyEditedValuesChange is the edit law between an API version and its own storage type.
func TestOnlyEditedValuesChange(t *testing.T) {
	edits := map[string]struct {
		api    func(g *fixtures.GadgetSpec)
		stored func(s *fixtures.StoredSpec)
	}{
		"a scalar":         {func(g *fixtures.GadgetSpec) { g.Count = new(int64(9)) }, func(s *fixtures.StoredSpec) { s.Count = new(int64(9)) }},
		"one in an object": {func(g *fixtures.GadgetSpec) { g.Main.Color = new("new") }, func(s *fixtures.StoredSpec) { s.Main.Color = new("new") }},
		"an object":        {func(g *fixtures.GadgetSpec) { g.Main = nil }, func(s *fixtures.StoredSpec) { s.Main = nil }},
		"a map":            {func(g *fixtures.GadgetSpec) { delete(g.Spares, "x") }, func(s *fixtures.StoredSpec) { delete(s.Spares, "x") }},
		"the end of a list": {
			func(g *fixtures.GadgetSpec) { g.Parts = append(g.Parts, fixtures.GadgetPart{Color: new("new")}) },
			func(s *fixtures.StoredSpec) { s.Parts = append(s.Parts, fixtures.StoredPart{Color: new("new")}) },
		},
		"the beginning of a list of lists": {
			func(g *fixtures.GadgetSpec) {
				g.Rows = append([][]fixtures.GadgetPart{{{Color: new("new")}}}, g.Rows...)
			},
			func(s *fixtures.StoredSpec) {
				s.Rows = append([][]fixtures.StoredPart{{{Color: new("new")}}}, s.Rows...)
			},
		},
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				stored := &fixtures.StoredGadget{Spec: fixtures.DrawSpec(t)}
				g, got := &fixtures.Gadget{}, &fixtures.StoredGadget{}
				if err := g.ConvertFromStorage(stored); err != nil {
					t.Fatal(err)
				}
				edit.api(g.Spec)
				if err := g.ConvertToStorage(got); err != nil {
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
