package conformance

import (
	"maps"
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
	outside, inside := map[string]int{}, map[string]int{}
	for seed := range uint64(300) {
		b := box{PropertyBag: runtime.PropertyBag{
			coveredName: runtime.JSON(covers), "object": runtime.JSON(`{"$propertyBag":{"` + coveredName + `":` + covers + `}}`),
		}}
		c.beginAt(seed, 64, nil)
		c.forgeCovers(unsafe.Pointer(&b))
		countCovers(outside, readValue(b.PropertyBag[coveredName]))
		object := readValue(b.PropertyBag["object"]).(map[string]any)
		countCovers(inside, object[bagName].(map[string]any)[coveredName])
	}
	for _, want := range [...]string{
		"was was@v1", "was " + furtherName, "was " + namedName, "was was", "other " + furtherName, "other " + namedName, "other other",
	} {
		if outside[want] == 0 || inside[want] == 0 {
			t.Errorf("%q is the name and the key of %d covers, and of %d within objects", want, outside[want], inside[want])
		}
	}
}

// countCovers counts covers by their names and keys.
func countCovers(counts map[string]int, covers any) {
	for name, c := range covers.(map[string]any) {
		counts[name+" "+coverOf(c).key]++
	}
}
