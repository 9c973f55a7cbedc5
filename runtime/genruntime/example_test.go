package genruntime_test

import (
	"encoding/json"
	"fmt"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// The types of these examples are shortened forms of generated types.

type Mood string

type Phone struct {
	Number *string `json:"number,omitzero"`
}

type Person struct {
	Name       *string `json:"name,omitzero"`
	MiddleName *string `json:"middleName,omitzero"`
	Moods      []Mood  `json:"moods,omitzero"`
	Phones     []Phone `json:"phones,omitzero"`
}

type StoredPhone struct {
	Number *string `json:"number,omitzero"`
}

type StoredPerson struct {
	Name        *string             `json:"name,omitzero"`
	Moods       []string            `json:"moods,omitzero"`
	Phones      []StoredPhone       `json:"phones,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (src *Phone) ConvertToStorage(dst *StoredPhone) error {
	*dst = StoredPhone(*src)
	return nil
}

// ConvertToStorage stores members that the storage type lacks in its bag.
func (src *Person) ConvertToStorage(dst *StoredPerson) error {
	*dst = StoredPerson{
		Name:  src.Name,
		Moods: genruntime.CastList[string](src.Moods),
	}
	genruntime.Stash(&dst.PropertyBag, "middleName", src.MiddleName)
	return genruntime.FirstError(
		genruntime.ListTo(&dst.Phones, src.Phones, (*Phone).ConvertToStorage),
	)
}

func Example() {
	person := Person{
		Name:       new("Ann"),
		MiddleName: new("Lee"),
		Moods:      []Mood{"calm"},
		Phones:     []Phone{{Number: new("+31 20")}},
	}
	var stored StoredPerson
	if err := person.ConvertToStorage(&stored); err != nil {
		fmt.Println(err)
	}
	data, _ := json.Marshal(stored)
	fmt.Println(string(data))
	// Output:
	// {"name":"Ann","moods":["calm"],"phones":[{"number":"+31 20"}],"$propertyBag":{"middleName":"Lee"}}
}

func ExampleStash() {
	var bag runtime.PropertyBag
	genruntime.Stash(&bag, "middleName", new("Lee"))
	genruntime.Stash(&bag, "tags", []string{})
	fmt.Println(bag)

	genruntime.Stash(&bag, "middleName", (*string)(nil)) // an absent value changes nothing
	fmt.Println(bag)
	// Output:
	// map[middleName:"Lee" tags:[]]
	// map[middleName:"Lee" tags:[]]
}

func ExampleRecall() {
	source := runtime.PropertyBag{"age": runtime.JSON("41"), "name": runtime.JSON(`"Ann"`)}
	bag := source.Clone() // the source of a conversion does not change

	var age, name *int64
	fmt.Println(genruntime.Recall(&bag, "age", &age), *age)
	fmt.Println(genruntime.Recall(&bag, "name", &name), name) // of another kind: it stays where it is
	fmt.Println(bag, len(source))
	// Output:
	// true 41
	// false <nil>
	// map[name:"Ann"] 2
}

func ExampleCastList() {
	fmt.Println(genruntime.CastList[string]([]Mood{"calm"}), genruntime.CastList[string]([]Mood(nil)) == nil)
	fmt.Println(genruntime.CastList[[]string]([][]Mood{{"calm"}, {}}))
	// Output:
	// [calm] true
	// [[calm] []]
}

func ExampleCloneListFunc() {
	matrix := [][]string{{"a"}, {}}
	clone := genruntime.CloneListFunc(matrix, genruntime.CloneList)
	clone[0][0] = "b"
	fmt.Println(matrix, clone)
	// Output:
	// [[a] []] [[b] []]
}

// Settings is an open object: it preserves members that its schema does not name.
type Settings struct {
	Theme                *string                 `json:"theme,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
}

func (s Settings) MarshalJSON() ([]byte, error) {
	type fixed Settings
	return genruntime.MarshalOpen(fixed(s), s.AdditionalProperties)
}

func (s *Settings) UnmarshalJSON(data []byte) error {
	type fixed Settings
	return genruntime.UnmarshalOpen(data, (*fixed)(s), &s.AdditionalProperties, "theme")
}

func ExampleMarshalOpen() {
	var s Settings
	if err := json.Unmarshal([]byte(`{"zoom":1.50,"theme":"dark","Theme":null}`), &s); err != nil {
		fmt.Println(err)
	}
	fmt.Println(*s.Theme, s.AdditionalProperties)
	data, _ := json.Marshal(s)
	fmt.Println(string(data))
	// Output:
	// dark map[Theme: zoom:1.50]
	// {"theme":"dark","Theme":null,"zoom":1.50}
}
