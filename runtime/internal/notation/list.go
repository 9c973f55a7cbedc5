package notation

import (
	"github.com/stratakube/strata/runtime/internal/bag"
)

// List is one of [Lists], with links to the lists that it refers to. A nil List is empty.
type List struct {
	// Items have no inner list for a member that is not representable at all.
	Items map[string]Item
	// Keys are the items for entries of a property bag.
	Keys map[string]Item
	// additional is the item for additional members, if there is one.
	additional      *List
	additionalMaps  int
	listsAdditional bool
	// further are the items of single additional members, by name.
	further map[string]*List
	// flat means that the version shows all members of an object as JSON. This includes inner
	// objects, and the entries of their property bags.
	flat bool
	// closed means that the version lacks all members of a JSON object that are not listed as
	// items, keys or further members.
	closed bool
	// Kind is the kind of the values that the version can represent, as in additional.Further. It
	// is empty for all.
	Kind string
}

// Item is a list, and the number of maps around the objects that the list describes.
type Item struct {
	Inner *List
	Maps  int
}

// Value returns the item for the values of a map. Maps of the item must be positive.
func (i Item) Value() Item { return Item{i.Inner, i.Maps - 1} }

var noList = new(List)

// flatList is the list for the values within a value that a version shows as JSON.
var flatList = &List{flat: true}

// IsEmpty reports whether the list has neither names nor restrictions.
func (t *List) IsEmpty() bool {
	return t == nil || len(t.Items) == 0 && len(t.Keys) == 0 && len(t.further) == 0 && !t.listsAdditional && !t.flat && !t.closed && t.Kind == ""
}

// HasOnlyNames reports whether a list has only names, and no restrictions within them.
func (t *List) HasOnlyNames() bool {
	if t == nil || len(t.Keys) > 0 || t.listsAdditional || t.flat || t.closed {
		return false
	}
	for _, i := range t.Items {
		if i.Inner != nil {
			return false
		}
	}
	return true
}

// Item returns the item of a name, and whether the list has it. A flat list has an item for every
// name.
func (t *List) Item(name string) (i Item, listed bool) {
	if t == nil {
		return Item{}, false
	}
	if t.flat {
		return Item{Inner: flatList}, true
	}
	i, listed = t.Items[name]
	return i, listed
}

// IsUnknown reports whether the version lacks a member of a JSON object. Name is its name in
// storage.
func (t *List) IsUnknown(name string) bool {
	if t == nil || !t.closed || t.listsAdditional {
		return false
	}
	_, item := t.Items[name]
	_, key := t.Keys[bag.MemberKey(name)]
	_, further := t.further[name]
	return !item && !key && !further
}

// Member returns the item of a member, or that of additional members.
func (t *List) Member(name string) (i Item, listed bool) {
	if i, listed = t.Item(name); listed {
		return i, true
	}
	i.Inner, listed = t.Rest(name)
	if t != nil && !t.isFurther(name) {
		i.Maps = t.additionalMaps
	}
	return i, listed
}

// isFurther reports whether the list has an additional member by its name.
func (t *List) isFurther(name string) bool {
	_, named := t.further[name]
	return named
}

// MemberOfEntry returns the item of a member of a JSON object in a bag. Name is its name in
// storage. A member is known to be additional if the list has it by name, or if the list has the
// names of all others.
func (t *List) MemberOfEntry(name string) (i Item, listed bool) {
	if i, listed = t.Item(name); listed || t == nil {
		return i, listed
	}
	if _, named := t.further[bag.APIName(name)]; named {
		i.Inner, listed = t.Rest(bag.APIName(name))
		return i, listed
	}
	if t.closed && t.listsAdditional && !t.names(name) {
		return Item{t.additional, t.additionalMaps}, true
	}
	return Item{}, false
}

// names reports whether a key of the list is that of a member.
func (t *List) names(name string) bool {
	_, found := t.Keys[bag.MemberKey(name)]
	return found
}

// IsOpen reports whether the list has additional members, and these are free JSON.
func (t *List) IsOpen() bool {
	return t != nil && t.listsAdditional && t.additional == nil && t.additionalMaps == 0
}

// AdditionalItem returns the item of additional members.
func (t *List) AdditionalItem() (i Item, listed bool) {
	if t == nil {
		return Item{}, false
	}
	return Item{t.additional, t.additionalMaps}, t.listsAdditional
}

// Rest returns the inner list of an additional member.
func (t *List) Rest(name string) (inner *List, listed bool) {
	switch {
	case t == nil:
		return nil, false
	case t.flat:
		return flatList, true
	}
	if inner, named := t.further[name]; named {
		return inner, inner != nil
	}
	return t.additional, t.listsAdditional
}

// Key reports whether an entry of a property bag is representable. The item describes the parts
// of it that are not.
func (t *List) Key(key string) (i Item, allowed bool) {
	if t == nil {
		return Item{}, false
	}
	if _, isMember := bag.KeyMember(key); t.flat {
		return Item{Inner: flatList}, isMember
	}
	i, allowed = t.Keys[key]
	return i, allowed
}
