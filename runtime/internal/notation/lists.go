package notation

import "sync"

// Lists list members of objects, for instance what a version cannot express of the hub's. They
// refer to each other by their numbers, which count from 1, so that a list may stand within itself.
// Generated code has them as literals, which must not be changed.
type Lists []Entries

// Entries are one list of members. Its reader gives them their meaning.
type Entries []Entry

// Entry says something of what one of its fields names: a Name, a Key, an Additional member, all of
// these, or the whole list.
type Entry struct {
	// Name is the JSON name of a member as storage types have it.
	Name string `json:"name,omitzero"`
	// Key is a key of the object's property bag.
	Key string `json:"key,omitzero"`
	// Additional is the name of a single additional member, whatever stands for the others.
	Additional string `json:"additional,omitzero"`
	// Rest is set for all other additional members.
	Rest bool `json:"rest,omitzero"`
	// Kind is that of the values of whatever the list is of, as Further has it; - is the kind of no
	// value. Beside names, it is the kind of other additional members.
	Kind string `json:"kind,omitzero"`
	// JSON is set where a version shows the object as JSON: all of it, and of property bags in it the
	// entries that are members.
	JSON bool `json:"json,omitzero"`
	// Closed is set where objects in bags have no other members than those that are named, as Name,
	// Key or Additional, or of which Rest stands in the list.
	Closed bool `json:"closed,omitzero"`
	// Maps is how many maps are between what is named and the objects that List is of. Lists of
	// objects are passed over, and so are maps beside JSON.
	Maps int `json:"maps,omitzero"`
	// List is the number of the list of the objects in it; 0 for none.
	List int `json:"list,omitzero"`
}

// At returns the list of a number: nil for 0, and an empty one for a number that no list has. The
// lists are linked once.
func (l Lists) At(number int) *List {
	switch {
	case number == 0:
		return nil
	case number < 0 || number > len(l):
		return noList
	}
	known, ok := linkedLists.Load(&l[0])
	if !ok {
		known, _ = linkedLists.LoadOrStore(&l[0], l.link())
	}
	return &known.([]List)[number-1]
}

// linkedLists are the lists of generated code, by the addresses of their first ones.
var linkedLists sync.Map // *Entries -> []List

// link makes the lists refer to each other.
func (l Lists) link() []List {
	out := make([]List, len(l))
	at := func(number int) *List {
		switch {
		case number == 0:
			return nil
		case number < 0 || number > len(l):
			return noList
		}
		return &out[number-1]
	}
	for i, entries := range l {
		for _, e := range entries {
			out[i].add(e, Item{at(e.List), e.Maps})
		}
	}
	return out
}

func (t *List) add(e Entry, i Item) {
	switch {
	case e.Key != "":
		set(&t.Keys, e.Key, i)
	case e.Additional != "":
		set(&t.further, e.Additional, i.Inner)
	case e.Rest:
		t.additional, t.additionalMaps, t.listsAdditional = i.Inner, i.Maps, true
	case e.Kind != "":
		t.Kind = e.Kind
	case e.JSON:
		t.flat = true
	case e.Closed:
		t.closed = true
	default:
		set(&t.Items, e.Name, i)
	}
}

// set sets an entry of a map, which is made where there is none.
func set[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}
