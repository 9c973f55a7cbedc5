package genruntime_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// portMap has ports by name, and portList has a list of them.
type portMap struct {
	PortOf      map[string]int64            `json:"portOf"`
	Groups      []map[string]map[string]int `json:"groups"`
	Open        map[string]map[string]int   `json:"-"`
	PropertyBag runtime.PropertyBag         `json:"$propertyBag"`
}

type portList struct {
	Names       []string            `json:"names"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag"`
}

// TestStepsHaveKeysOfAPI runs steps for maps with keys that storage spells in another way.
func TestStepsHaveKeysOfAPI(t *testing.T) {
	to := func(src *portMap, dst *portList) error {
		dst.Names = slices.Sorted(maps.Keys(src.PortOf))
		for _, group := range src.Groups {
			dst.Names = append(dst.Names, slices.Collect(maps.Keys(group["$propertyBag"]))...)
		}
		dst.Names = append(dst.Names, slices.Collect(maps.Keys(src.Open["$propertyBag"]))...)
		return nil
	}
	from := func(dst *portMap, src *portList) error {
		dst.PortOf = map[string]int64{}
		for i, name := range src.Names {
			dst.PortOf[name] = int64(i)
		}
		return nil
	}
	stored := &portMap{
		PortOf: map[string]int64{"http": 1, "$$propertyBag": 2, "$$$propertyBag": 3},
		Groups: []map[string]map[string]int{{"$$propertyBag": {"$$propertyBag": 4}}},
		Open:   map[string]map[string]int{"$propertyBag": {"$$propertyBag": 5}},
	}
	before, near := *stored, &portList{}
	if err := genruntime.AugmentTo("step", stored, near, false, to, from, "portOf", "portOf"); err != nil {
		t.Fatal(err)
	}
	want := []string{"$$propertyBag", "$propertyBag", "http", "$propertyBag", "$propertyBag"}
	if diff := cmp.Diff(want, near.Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&before, stored); diff != "" {
		t.Errorf("the step changed its source (-was +is):\n%s", diff)
	}
	back := &portMap{}
	if err := genruntime.AugmentFrom("step", back, &portList{Names: []string{"http", "$propertyBag", "$$propertyBag"}}, false, from, to, "portOf", "portOf"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int64{"http": 0, "$$propertyBag": 1, "$$$propertyBag": 2}, back.PortOf); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// TestFunctionsHaveKeysOfAPI is TestStepsHaveKeysOfAPI for functions of authors.
func TestFunctionsHaveKeysOfAPI(t *testing.T) {
	var names []string
	keys := func(of map[string]int64) ([]string, error) { return slices.Sorted(maps.Keys(of)), nil }
	if err := genruntime.Derive(map[string]int64{"$$propertyBag": 1, "http": 2}, &names, keys); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"$propertyBag", "http"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	var ports map[string]int64
	number := func(names []string) (map[string]int64, error) { return map[string]int64{names[0]: 1}, nil }
	if err := genruntime.Derive(names, &ports, number); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int64{"$$propertyBag": 1}, ports); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}
