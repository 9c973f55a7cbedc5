package notation

import "sync"

// Lists has lists of members of objects, for instance of those that a version cannot represent of
// the hub. They refer to each other by their numbers, which count from 1, so that a list may
// contain itself. Generated code has them as literals, which must not change.
type Lists []Entries

// Entries is one list of members. Its reader defines its meaning.
type Entries []Entry

// Entry describes one of these: the member of a Name, the entry of a Key, all additional members,
// or the whole list.
type Entry struct {
	// Name is the JSON name of a member in storage types.
	Name string `json:"name,omitzero"`
	// Key is a key of the object's property bag.
	Key string `json:"key,omitzero"`
	// Rest means all additional members.
	Rest bool `json:"rest,omitzero"`
	// Kind is the kind of the values that the list describes, as in additional.Further.
	Kind string `json:"kind,omitzero"`
	// Maps is the number of maps between the named value and the objects that List describes.
	// Lists of objects do not count.
	Maps int `json:"maps,omitzero"`
	// List is the number of the list for the objects in the value; 0 for none.
	List int `json:"list,omitzero"`
}

// At returns the list with a number. It returns nil for 0, and an empty list if there is no such
// list. It links the lists once.
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

// linkedLists has the linked lists of generated code, by the addresses of their first ones.
var linkedLists sync.Map // *Entries -> []List

// link returns the lists with references to each other.
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
	case e.Rest:
		t.additional, t.additionalMaps, t.listsAdditional = i.Inner, i.Maps, true
	case e.Kind != "":
		t.Kind = e.Kind
	default:
		set(&t.Items, e.Name, i)
	}
}

// set sets an entry of a map, and creates the map if necessary.
func set[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}
