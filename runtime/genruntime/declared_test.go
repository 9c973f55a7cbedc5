package genruntime_test

import (
	"encoding/json"
	"math"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// grown is of a version in which a name is a list.
type grown struct {
	Names       []string            `json:"names,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func grow(far *named) *grown {
	near := &grown{PropertyBag: far.PropertyBag.Clone()}
	genruntime.Recall(&near.PropertyBag, "names", &near.Names)
	genruntime.Stash(&near.PropertyBag, "first", far.First)
	if err := genruntime.DeclareTo("v2.grown.Names", &near.PropertyBag, far.First, &near.Names, "first", genruntime.Plural(), genruntime.Singular()); err != nil {
		panic(err)
	}
	return near
}

func shrink(near *grown) *named {
	far := &named{PropertyBag: near.PropertyBag.Clone()}
	genruntime.Recall(&far.PropertyBag, "first", &far.First)
	genruntime.Stash(&far.PropertyBag, "names", near.Names)
	if err := genruntime.DeclareFrom("v2.grown.Names", &far.PropertyBag, &far.First, near.Names, "names", "first", genruntime.Plural(), genruntime.Singular()); err != nil {
		panic(err)
	}
	return far
}

// TestDeclare edits a name that is a list in the hub.
func TestDeclare(t *testing.T) {
	for _, test := range []struct {
		reason string
		hub    []string
		shows  *string
		edit   func(*named)
		want   []string
	}{
		{"nobody edits it", []string{"Ada", "Eve"}, text("Ada"), nil, []string{"Ada", "Eve"}},
		{"an old client edits the first", []string{"Ada", "Eve"}, text("Ada"), func(n *named) { n.First = text("Bob") }, []string{"Bob", "Eve"}},
		{"an old client removes it", []string{"Ada", "Eve"}, text("Ada"), func(n *named) { n.First = nil }, nil},
		{"an empty list stays", []string{}, nil, nil, []string{}},
		{"an old client sets it in an empty list", []string{}, nil, func(n *named) { n.First = text("Bob") }, []string{"Bob"}},
		{"nothing stays nothing", nil, nil, nil, nil},
		{"an old client sets it", nil, nil, func(n *named) { n.First = text("Bob") }, []string{"Bob"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			far := shrink(&grown{Names: test.hub})
			checkText(t, "it shows", far.First, test.shows)
			if test.edit != nil {
				test.edit(far)
			}
			hub := grow(far)
			if diff := cmp.Diff(test.want, hub.Names); diff != "" {
				t.Error("the hub", diff)
			}
			if diff := cmp.Diff(far.First, shrink(hub).First); diff != "" {
				t.Error("it reads otherwise", diff)
			}
		})
	}
}

// TestDeclaredBags checks that bags store only values that the live value does not determine. An
// unedited hub must come back with its bag, even if an earlier edit through the hub left an
// obsolete entry there.
func TestDeclaredBags(t *testing.T) {
	for _, test := range []struct {
		reason string
		hub    grown
		far    string // its bag
	}{
		{"the list has one element", grown{Names: []string{"Ada"}}, `{}`},
		{"the list has two", grown{Names: []string{"Ada", "Eve"}}, `{"names":["Ada","Eve"]}`},
		{"an entry is not needed", grown{Names: []string{"Ada"}, PropertyBag: runtime.PropertyBag{"first": runtime.JSON(`"Ada"`)}},
			`{"$shown@v2.grown.Names":{"before":{"first":"Ada"},"values":"2urokrg482hej"}}`},
		{"an entry does not count any more", grown{Names: []string{"Ada"}, PropertyBag: runtime.PropertyBag{"first": runtime.JSON(`"Bob"`)}},
			`{"$shown@v2.grown.Names":{"before":{"first":"Bob"},"values":"2urokrg482hej"}}`},
		{"an entry cannot be read", grown{Names: []string{"Ada"}, PropertyBag: runtime.PropertyBag{"first": runtime.JSON(`5`)}},
			`{"$shown@v2.grown.Names":{"before":{"first":5},"values":"2urokrg482hej"},"first":5}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			far := shrink(&test.hub)
			if got, err := json.Marshal(far.PropertyBag); err != nil || string(got) != test.far && (len(far.PropertyBag) > 0 || test.far != "{}") {
				t.Errorf("the bag is %s, %v, want %s", got, err, test.far)
			}
			if diff := cmp.Diff(&test.hub, grow(far), cmpopts.EquateEmpty()); diff != "" {
				t.Error("a write without an edit changes the hub", diff)
			}
		})
	}
}

func TestDeclareRefuses(t *testing.T) {
	var b runtime.PropertyBag
	near := new(int64(7))
	err := genruntime.DeclareTo("step", &b, []string{"seven"}, &near, "key", genruntime.Singular(), genruntime.Plural())
	if !runtime.IsAugmentation(err) || near != nil {
		t.Errorf("a text became %v, %v", near, err)
	}
	near = new(int64(7))
	if err := genruntime.DeclareTo("step", &b, new(int64(1)<<62), &near, "key", genruntime.ScaleWhole(1000, 1), genruntime.ScaleWhole(1, 1000)); err != nil || near != nil {
		t.Errorf("a number that is too large became %v, %v", near, err)
	}
}

// TestMemoryOfSplit checks how much memory a change takes that splits a long string at each byte.
// The list has 16 bytes for each part.
func TestMemoryOfSplit(t *testing.T) {
	const most = 36 // bytes for each byte of the string in an object
	split, join := genruntime.Split(","), genruntime.Join(",")
	up := func(far *named) *grown {
		near := &grown{PropertyBag: runtime.PropertyBag{}}
		genruntime.Stash(&near.PropertyBag, "first", far.First)
		if err := genruntime.DeclareTo("v2.grown.Names", &near.PropertyBag, far.First, &near.Names, "first", split, join); err != nil {
			t.Fatal(err)
		}
		return near
	}
	down := func(near *grown) *named {
		far := &named{PropertyBag: runtime.PropertyBag{}}
		genruntime.Stash(&far.PropertyBag, "names", near.Names)
		if err := genruntime.DeclareFrom("v2.grown.Names", &far.PropertyBag, &far.First, near.Names, "names", "first", split, join); err != nil {
			t.Fatal(err)
		}
		return far
	}
	allocated := func(work func()) float64 { // the least of three: other goroutines allocate, too
		least := math.Inf(1)
		for range 3 {
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			work()
			goruntime.ReadMemStats(&after)
			least = min(least, float64(after.TotalAlloc-before.TotalAlloc))
		}
		return least
	}
	for _, part := range []string{",", "a,", `",`, "long enough,"} {
		long := strings.Repeat(part, 1<<20/len(part))
		var near *grown
		var far *named
		inObject := float64(len(jsontext.Encode(&long)))
		taken := allocated(func() { near = up(&named{First: &long}) })
		if len(near.Names) != strings.Count(long, ",")+1 || taken > most*inObject {
			t.Errorf("splitting %q into %d parts takes %.1f bytes a byte", part, len(near.Names), taken/inObject)
		}
		taken = allocated(func() { far = down(near) })
		checkText(t, "joined", far.First, &long)
		if taken > most*inObject {
			t.Errorf("joining %q takes %.1f bytes a byte", part, taken/inObject)
		}
	}
}
