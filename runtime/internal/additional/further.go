package additional

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// A property that one version names is the same property as the additional member of that name in
// an open object of another version. Between the two versions a property bag stores it, under the
// usual keys of the property. [genruntime.Lower] stores additional members there before a step,
// and [genruntime.Raise] restores them after it.
//
// An additional member has no key if no version names it, or none has a value of its kind. If the
// object is closed, or names the member, the bag stores it under $additionalProperties. If its
// name is that of another property in an open object, the bag stores it under $foreignProperties
// for objects that cannot show it.

// Further is a property that may be an additional member.
type Further struct {
	// Name is the name of the additional member, and Key the key of its values in property bags.
	Name string `json:"name"`
	Key  string `json:"key,omitzero"`
	// Kind is the JSON kind of these values. It begins with l for each list and m for each map.
	// The last letter is s for a string, i for an integer, n for a number or b for a boolean. It
	// is o for an object, and a for free JSON.
	Kind string `json:"kind,omitzero"`
	// Free lists the members within these objects that are free JSON, or maps. The first list is
	// that of the objects themselves. Such members have the client's spelling. A key with a kind
	// lists the entry that the property bag has if the object has a value of another kind under
	// that name.
	Free notation.Lists `json:"free,omitzero"`
}

// free returns the list of members that have the client's spelling.
func (f *Further) free() *notation.List {
	if len(f.Free) == 0 {
		return nil
	}
	return f.Free.At(1)
}

// takes reports whether a value has the kind of the property.
func (f *Further) takes(value runtime.JSON) bool {
	return notation.IsOfKindExcept(f.Kind, value, f.free())
}

// hasFree reports whether the values may contain free JSON.
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

// keyOf returns the key under which bags store a value of a member, and an empty string if it has
// none.
func (f Furthers) keyOf(name string, value runtime.JSON) string {
	if of := f.of(name, value); of != nil {
		return of.Key
	}
	return ""
}

// of returns the entry of a name that has the kind of a value, and nil if there is none.
func (f Furthers) of(name string, value runtime.JSON) *Further {
	named := f.named(name)
	for i := range named {
		if named[i].takes(value) {
			return &named[i]
		}
	}
	return nil
}

// cover stores the values from which an additional member was made.
type cover struct {
	// Key is the key of the visible value, and Visible its visible part.
	Key     string       `json:"key"`
	Visible runtime.JSON `json:"shown,omitzero"`
	// Stored has all values of the property, by their keys.
	Stored map[string]runtime.JSON `json:"stored"`
}

// isMade reports whether a conversion can have made the cover: it stores the visible value, and a
// value without a key is visible as it is. Plain is the visible value as plain JSON. Any other
// cover is ignored, as if a client had written the member.
func (c cover) isMade(plain runtime.JSON) bool {
	value, found := c.Stored[c.Key]
	return found && (c.Key != bag.AdditionalKey && c.Key != bag.NamedKey || jsontext.IsSame(jsontext.OrNull(value), jsontext.OrNull(plain)))
}

// hasNames reports whether values of the property may have names that differ in storage: as
// objects, or in maps.
func (f *Further) hasNames() bool {
	return strings.HasSuffix(f.Kind, "o") || strings.Contains(f.Kind, "m")
}

// names returns the list of the members within a value of the property.
func (f *Further) names() notation.Item {
	i := notation.Item{Inner: f.free(), Maps: strings.Count(f.Kind, "m")}
	if !strings.HasSuffix(f.Kind, "o") {
		i.Inner = notation.FreeJSON
	}
	return i
}

// stored converts a value of the property's kind from the client's form to its form in bags. It
// converts the keys of maps to their stored form. In a value of that kind, no member of an object
// has the name of a property bag.
func (f *Further) stored(value runtime.JSON) runtime.JSON {
	if !f.hasNames() || !bag.HasNameLikeIn(value) {
		return value
	}
	return appendStored(f.names(), make(runtime.JSON, 0, len(value)+len(bag.Name)), &jsontext.Cursor{Data: value})
}

// appendStored steps over a value, and appends its form in bags.
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
