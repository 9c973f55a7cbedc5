package model

import "slices"

// Fact is what a source says, no floor decides by, and a back-end says again: of a
// type a keyword of its schema, as x-kubernetes-list-type; of a version or resource
// a part of its definition, as additionalPrinterColumns or scope. Value is its JSON
// text, without space between tokens.
type Fact struct{ Name, Value string }

// Facts are facts of different names, in the order of the source.
type Facts []Fact

// Get returns the JSON text of a fact, empty where there is none.
func (f Facts) Get(name string) string {
	for _, x := range f {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// Equal tells whether two have the same facts in the same order.
func (f Facts) Equal(g Facts) bool { return slices.Equal(f, g) }
