package codec

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// countMaps has maps of scalars, which its storage type may have as objects: it gathers values that
// are none.
type countMaps struct {
	List  []map[string]int64                     `json:"list,omitzero"`
	Rows  [][]map[string]int64                   `json:"rows,omitzero"`
	Map   map[string]map[string]int64            `json:"map,omitzero"`
	Deep  map[string]map[string]map[string]int64 `json:"deep,omitzero"`
	Lists map[string][]map[string]int64          `json:"lists,omitzero"`
	Flat  map[string]int64                       `json:"flat,omitzero"`
	Grid  []map[string]map[string]int64          `json:"grid,omitzero"`
	Parts []map[string]countPart                 `json:"parts,omitzero"`
}

type countPart struct {
	Size *int64 `json:"size,omitzero"`
}

func TestElementsComeBackToMapsThatStorageHasAsObjects(t *testing.T) {
	one, none := map[string]int64{"a": 1}, map[string]int64{}
	for _, test := range []struct {
		reason, name, items string
		value               countMaps
		want                string
	}{
		{"to a list", "list", `[[0,[1]],[2,["x",[3]]]]`, countMaps{List: []map[string]int64{one}}, `{"list":[1,{"a":1},"x",[3]]}`},
		{"to a list of what is gone", "list", `[[0,[1,2]]]`, countMaps{List: []map[string]int64{}}, `{"list":[1,2]}`},
		{"to a map", "map", `{"x":5,"z":[{}]}`, countMaps{Map: map[string]map[string]int64{"y": one}}, `{"map":{"x":5,"y":{"a":1},"z":[{}]}}`},
		{"to a map, objects of the wrong type", "map", `{"x":{"a":"s"}}`, countMaps{Map: map[string]map[string]int64{"y": one}}, `{"map":{"x":{"a":"s"},"y":{"a":1}}}`},
		{"to a map that has the key", "map", `{"y":{"b":2}}`, countMaps{Map: map[string]map[string]int64{"y": one}}, `{"map":{"y":{"a":1}}}`},
		{"to lists in a list", "rows", `[[0,[[1,["x"]]]],[1,[[0,[true]]]]]`, countMaps{Rows: [][]map[string]int64{{one}, {}}}, `{"rows":[[{"a":1},"x"],[true]]}`},
		{"to lists in a map", "lists", `{"y":[[0,["x"]]],"z":[[0,["x"]]]}`, countMaps{Lists: map[string][]map[string]int64{"y": {one}}}, `{"lists":{"y":["x",{"a":1}]}}`},
		{"to a map of maps", "deep", `{"x":5,"z":[1]}`, countMaps{Deep: map[string]map[string]map[string]int64{"y": {"k": none}}}, `{"deep":{"x":5,"y":{"k":{}},"z":[1]}}`},
		{"to maps in a map", "deep", `{"y":{"l":5},"z":{"l":5}}`, countMaps{Deep: map[string]map[string]map[string]int64{"y": {"k": none}}}, `{"deep":{"y":{"k":{},"l":5}}}`},
		{"where there is no object", "flat", `{"x":"s"}`, countMaps{Flat: one}, `{"flat":{"a":1,"x":"s"}}`},
		{"to maps of objects in a list", "parts", `[[0,{"x":2}]]`, countMaps{Parts: []map[string]countPart{{"y": {}}}}, `{"parts":[{"x":2,"y":{}}]}`},
		{"what no map of scalars holds", "list", `[[0,{"x":1}],[1,["s"]]]`, countMaps{List: []map[string]int64{one}}, `{"list":[{"a":1},"s"]}`},
		{"elements among items", "grid", `[[0,{"x":1}],[1,[1]],[1,{"x":2}],[4,[2]]]`, countMaps{Grid: []map[string]map[string]int64{{}, {}}}, `{"grid":[{"x":1},1,{"x":2},2]}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			s := shape.Of(reflect.TypeFor[countMaps]())
			node := &MisfitNode{Entries: []Misfit{{MisfitKey: bag.MisfitKey{Name: test.name, Elements: true}, Value: runtime.JSON(test.items)}}}
			w := Writer{}
			if err := w.Object(s, unsafe.Pointer(&test.value), node); err != nil {
				t.Fatal(err)
			}
			if !jsontext.IsSame(w.Out, runtime.JSON(test.want)) {
				t.Errorf("written %s, want %s", w.Out, test.want)
			}
		})
	}
}

// TestMayForgeBag looks for names of property bags at any depth of objects and lists, and not in
// texts alone.
func TestMayForgeBag(t *testing.T) {
	for value, want := range map[string]bool{
		`{"$propertyBag":{}}`:           true,
		`{"a":[{"$propertyBag":{}}]}`:   true,
		`[{"$propertyBag":{}}]`:         true,
		`[[],[1,[{"$propertyBag":1}]]]`: true,
		` [{"\u0024propertyBag":{}}]`:   true,
		`"$propertyBag"`:                false,
		`[1,{"bag":{}}]`:                false,
		`5`:                             false,
		``:                              false,
	} {
		if got := mayForgeBag(runtime.JSON(value)); got != want {
			t.Errorf("%s may forge a bag: %t", value, got)
		}
	}
}
