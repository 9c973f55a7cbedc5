package conformance

import (
	"maps"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
)

// TestDamageOfAdditionalMembers damages entries of additional members: they may lose all members,
// and have no others.
func TestDamageOfAdditionalMembers(t *testing.T) {
	type box struct {
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	const members = `{"a":1}`
	c := &chain{hub: &link{}}
	c.hub.programs.store = programOf[box](t)
	damaged := map[string]int{}
	for seed := range uint64(200) {
		b := box{PropertyBag: runtime.PropertyBag{"known": runtime.JSON(members)}}
		for key := range ofFurthers {
			b.PropertyBag[key] = runtime.JSON(members)
		}
		c.beginAt(seed, 64, nil)
		c.damage(unsafe.Pointer(&b))
		for key := range ofFurthers {
			switch value := string(b.PropertyBag[key]); {
			case value == members:
			case value == "" || value[0] == '{':
				t.Errorf("%s becomes %q", key, value)
			default:
				damaged[key]++
			}
		}
	}
	for key := range ofFurthers {
		if damaged[key] == 0 {
			t.Errorf("%s is never damaged", key)
		}
	}
}

// TestDamageHasWrongElements adds elements of the wrong type to bags of objects with lists.
func TestDamageHasWrongElements(t *testing.T) {
	type box struct {
		Parts       []string            `json:"parts,omitzero"`
		Names       []string            `json:"names,omitzero"`
		Bags        []string            `json:"$$propertyBag,omitzero"`
		Name        *string             `json:"name,omitzero"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	c := &chain{hub: &link{}, links: []*link{{KindVersion: KindVersion{label: "v1"}}, {KindVersion: KindVersion{label: "v2"}}}}
	c.hub.programs.store = programOf[box](t)
	found := map[string]bool{}
	for seed := range uint64(200) {
		var b box
		c.beginAt(seed, 64, nil)
		c.damage(unsafe.Pointer(&b))
		for key := range b.PropertyBag {
			found[key] = true
		}
	}
	want := map[string]bool{
		"foreign@v1999": true, "parts@v1!elements!raw": true, "parts@v2!elements!raw": true,
		"names@v1!elements!raw": true, "names@v2!elements!raw": true,
	}
	if !maps.Equal(found, want) {
		t.Errorf("damage adds %v, want %v", found, want)
	}
}

// TestForgedCovers forges covers of additional members in a bag, and within an object of the bag:
// of members under all keys, and of one that has a cover.
func TestForgedCovers(t *testing.T) {
	type box struct {
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	const covers = `{"was":{"key":"was@v1","shown":"seen","stored":{"was@v1":1}}}`
	c := &chain{hub: &link{}, named: map[string]bool{"other": true}}
	c.hub.programs.store = programOf[box](t)
	apart, inside := map[string]int{}, map[string]int{}
	for seed := range uint64(300) {
		b := box{PropertyBag: runtime.PropertyBag{
			coveredName: runtime.JSON(covers), "object": runtime.JSON(`{"$propertyBag":{"` + coveredName + `":` + covers + `}}`),
		}}
		c.beginAt(seed, 64, nil)
		c.forgeCovers(unsafe.Pointer(&b))
		countCovers(apart, readValue(b.PropertyBag[coveredName]))
		object := readValue(b.PropertyBag["object"]).(map[string]any)
		countCovers(inside, object[bagName].(map[string]any)[coveredName])
	}
	for _, want := range [...]string{
		"was was@v1", "was " + furtherName, "was " + namedName, "was was", "other " + furtherName, "other " + namedName, "other other",
	} {
		if apart[want] == 0 || inside[want] == 0 {
			t.Errorf("%q is the name and the key of %d covers, and of %d within objects", want, apart[want], inside[want])
		}
	}
}

// countCovers counts covers by their names and keys.
func countCovers(counts map[string]int, covers any) {
	for name, c := range covers.(map[string]any) {
		counts[name+" "+coverOf(c).key]++
	}
}

// TestEntriesThatLiveValuesReplace replaces an unreadable entry of a bag by a value that a version
// shows, and by others.
func TestEntriesThatLiveValuesReplace(t *testing.T) {
	type visibleBox struct {
		Name  *string `json:"name,omitzero"`
		Other *string `json:"other,omitzero"`
	}
	type box struct {
		Size        *int64              `json:"size,omitzero"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	const live = `"live"`
	bagOf := func(pairs ...string) runtime.PropertyBag {
		b := runtime.PropertyBag{}
		for i := 0; i < len(pairs); i += 2 {
			b[pairs[i]] = runtime.JSON(pairs[i+1])
		}
		return b
	}
	spoiled := bagOf("name", `12`, "name@v1", live, "x", `1`)
	y := visibleBox{Name: new("live"), Other: new("other")}
	for _, test := range []struct {
		reason string
		again  box
		want   bool
	}{
		{"nothing is replaced", box{PropertyBag: spoiled}, false},
		{"the value that is shown", box{PropertyBag: bagOf("name", live, "x", `1`)}, true},
		{"and its source is still there", box{PropertyBag: bagOf("name", live, "name@v1", live, "x", `1`)}, true},
		{"another value", box{PropertyBag: bagOf("name", `"another"`, "x", `1`)}, false},
		{"the value of another member", box{PropertyBag: bagOf("name", `"other"`, "x", `1`)}, false},
		{"the entry is lost", box{PropertyBag: bagOf("name@v1", live, "x", `1`)}, false},
		{"another entry is lost, too", box{PropertyBag: bagOf("name", live)}, false},
		{"another entry changes, too", box{PropertyBag: bagOf("name", live, "x", `2`)}, false},
		{"a live value changes, too", box{Size: new(int64(1)), PropertyBag: bagOf("name", live, "x", `1`)}, false},
	} {
		c := &chain{hub: &link{}}
		c.hub.programs.store = programOf[box](t)
		l := &link{KindVersion: KindVersion{api: reflect.TypeFor[visibleBox]()}}
		was := box{PropertyBag: spoiled}
		if got := c.isAdopted(l, unsafe.Pointer(&was), unsafe.Pointer(&test.again), unsafe.Pointer(&y)); got != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
}
