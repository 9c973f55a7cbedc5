package additional

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// A property that one version names, and the additional member of that name which an open object of
// another version has, are one property. Between the two it lies in the property bag, under the
// keys that its values have wherever it is away: [genruntime.Lower] puts additional members there
// before a step, and [genruntime.Raise] takes them out again behind it.
//
// An additional member for which there is no key, since no version names it, or none with a value
// of that kind, lies under $additionalProperties where the object is closed, or names it. One that
// is the name of another property in an open object that shows it lies under $foreignProperties for
// those who do not.

// Further is a property that may be an additional member.
type Further struct {
	// Name is that of the additional member, and Key that of its values in property bags.
	Name string `json:"name"`
	Key  string `json:"key,omitzero"`
	// Kind is the JSON kind of these values: l for a list, m for a map, and then s for a text, i
	// for an integer, n for a number, b for a boolean, o for an object, a for free JSON.
	Kind string `json:"kind,omitzero"`
	// Free lists the members within these objects that are free JSON, or maps; the first list is that
	// of the objects themselves. What lies there is as the client wrote it. A key with a kind lists
	// what lies in the property bag where the object has a value of another kind under that name.
	Free notation.Lists `json:"free,omitzero"`
}

// free is the list of members that are as the client wrote them.
func (f *Further) free() *notation.List {
	if len(f.Free) == 0 {
		return nil
	}
	return f.Free.At(1)
}

// takes reports whether a property of the kind can have a value.
func (f *Further) takes(value runtime.JSON) bool {
	return notation.IsOfKindExcept(f.Kind, value, f.free())
}

// hasFree reports whether there may be free JSON in the values.
func (f *Further) hasFree() bool { return f.isFree() || len(f.Free) > 0 }

// isFree reports whether the values are free JSON, or lists or maps of it.
func (f *Further) isFree() bool { return strings.HasSuffix(f.Kind, "a") }

// Furthers are sorted by name.
type Furthers []Further

// named returns the entries of one name.
func (f Furthers) named(name string) Furthers {
	from, _ := slices.BinarySearchFunc(f, name, func(f Further, name string) int { return strings.Compare(f.Name, name) })
	to := from
	for to < len(f) && f[to].Name == name {
		to++
	}
	return f[from:to]
}

// keyOf returns the key under which a value of a member lies in bags; empty if there is none.
func (f Furthers) keyOf(name string, value runtime.JSON) string {
	if of := f.of(name, value); of != nil {
		return of.Key
	}
	return ""
}

// of returns the entry of a name that has the kind of a value; nil if there is none.
func (f Furthers) of(name string, value runtime.JSON) *Further {
	named := f.named(name)
	for i := range named {
		if named[i].takes(value) {
			return &named[i]
		}
	}
	return nil
}

// cover is what lies under an additional member.
type cover struct {
	// Key is that of the value that is shown, Shown is what is shown of it.
	Key   string       `json:"key"`
	Shown runtime.JSON `json:"shown,omitzero"`
	// Stored are all values of the property, by their keys.
	Stored map[string]runtime.JSON `json:"stored"`
}

// hasNames reports whether values of the property have names that are others in storage: as
// objects, or in maps.
func (f *Further) hasNames() bool {
	return strings.HasSuffix(f.Kind, "o") || strings.Contains(f.Kind, "m")
}

// names is the list of what lies within a value of the property.
func (f *Further) names() notation.Item {
	i := notation.Item{Inner: f.free(), Maps: strings.Count(f.Kind, "m")}
	if !strings.HasSuffix(f.Kind, "o") {
		i.Inner = notation.FreeJSON
	}
	return i
}

// stored returns a value of the property's kind, as clients write it, as it lies in bags: with the
// keys of maps that storage has. Members of objects are not called like a property bag where the
// value is of the kind.
func (f *Further) stored(value runtime.JSON) runtime.JSON {
	if !f.hasNames() || !bag.HasNameLikeIn(value) {
		return value
	}
	return appendStored(f.names(), make(runtime.JSON, 0, len(value)+len(bag.Name)), &jsontext.Cursor{Data: value})
}

// appendStored steps over a value, and writes it as it lies in bags.
func appendStored(i notation.Item, out []byte, c *jsontext.Cursor) []byte {
	switch first := c.Peek(); {
	case first == '[' && !i.IsFree():
		out = append(out, '[')
		for c.Take('['); c.More(']'); {
			out = appendStored(i, jsontext.Separate(out), c)
		}
		return append(out, ']')
	case first != '{' || i.IsFree():
		return append(out, c.Raw()...)
	}
	out = append(out, '{')
	for c.Take('{'); c.More('}'); {
		name := string(c.Name())
		out = jsontext.Separate(out)
		if i.Maps > 0 {
			out = appendStored(i.Value(), append(jsontext.AppendText(out, bag.StoredName(name)), ':'), c)
			continue
		}
		out = append(jsontext.AppendText(out, name), ':')
		if within, listed := i.Inner.Member(name); listed && within.Inner == nil && within.Maps == 0 {
			out = append(out, c.Raw()...)
		} else {
			out = appendStored(within, out, c)
		}
	}
	return append(out, '}')
}
