package runtime

import (
	"reflect"
	"testing"
)

// TestWhatIsStowedTakesFromItsOwnBag: a value that goes to a property bag by way of a step takes out of the bags in it
// what the shape there has, also where the step changes nothing else.
func TestWhatIsStowedTakesFromItsOwnBag(t *testing.T) {
	steps, err := parseSteps("main>!main#1;>color^hue")
	if err != nil {
		t.Fatal(err)
	}
	spec, part := shapeOf(reflect.TypeFor[storedSpec]()), shapeOf(reflect.TypeFor[storedPart]())
	m := recaster{steps: steps, up: true, held: map[int]*shape{1: part}, made: map[recastKey]*recast{}}
	r := m.make(0, spec, spec)
	m.finish()
	for object, want := range map[string]string{
		`{"main":{"weight":1,"$propertyBag":{"hue":"red","k":2}}}`: `{"$propertyBag":{"main":{"weight":1,"color":"red","$propertyBag":{"k":2}}}}`,
		`{"main":{"weight":1}}`: `{"$propertyBag":{"main":{"weight":1}}}`,
	} {
		e := edit{reader: reader{cursor: cursor{data: []byte(object)}, limit: maxDepth, repeats: new(repeats), bags: mayHaveBags([]byte(object))}}
		if !e.object(r) || string(e.out) != want {
			t.Errorf("%s is %s, want %s", object, e.out, want)
		}
	}
}
