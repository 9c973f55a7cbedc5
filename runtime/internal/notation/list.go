package notation

import (
	"github.com/stratakube/strata/runtime/internal/bag"
)

// List is a list of [Lists], with what it refers to. Nil is an empty one.
type List struct {
	// Items have no list for what is not expressible at all.
	Items map[string]Item
	// Keys are for what lies in a property bag.
	Keys map[string]Item
	// additional is the item for additional members, if there is one.
	additional      *List
	additionalMaps  int
	listsAdditional bool
	// further are the items of additional members, by their names.
	further map[string]*List
	// flat means that the version shows all members of an object and of those within, also of
	// property bags, as JSON.
	flat bool
	// closed means that the version has no members of a JSON object that are not listed, as keys or
	// further members.
	closed bool
	// Kind is that of the values that the version can express, as Further has it; empty for all.
	Kind string
}

// Item is a list, and how many maps are between it and the name that it is of.
type Item struct {
	Inner *List
	Maps  int
}

// Value returns the item of the values of a map. An item of maps alone has one.
func (i Item) Value() Item { return Item{i.Inner, i.Maps - 1} }

var noList = new(List)

// flatList is the list of what lies within a value that a version shows as JSON. A kind is that of
// the value alone.
var flatList = &List{flat: true}

// IsEmpty reports whether the list has neither names nor restrictions.
func (t *List) IsEmpty() bool {
	return t == nil || len(t.Items) == 0 && len(t.Keys) == 0 && len(t.further) == 0 && !t.listsAdditional && !t.flat && !t.closed && t.Kind == ""
}

// HasOnlyNames reports whether a list has nothing but names.
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

// Item returns the item of a name, and whether the list has it. A flat list has every name.
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

// IsUnknown reports whether a member of a JSON object, by its name in storage, is one that the
// version does not have.
func (t *List) IsUnknown(name string) bool {
	if t == nil || !t.closed || t.listsAdditional {
		return false
	}
	_, item := t.Items[name]
	_, key := t.Keys[bag.MemberKey(name)]
	_, further := t.further[name]
	return !item && !key && !further
}

// Member is the item of a member, or that of additional members.
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

// isFurther reports whether an additional member is listed by its name.
func (t *List) isFurther(name string) bool {
	_, named := t.further[name]
	return named
}

// MemberOfEntry is the item of a member of a JSON object in a bag, by its name in storage. Which of
// them are additional members is known of those that are listed by name, and where the list has the
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

// IsOpen reports whether additional members are listed, and are free JSON.
func (t *List) IsOpen() bool {
	return t != nil && t.listsAdditional && t.additional == nil && t.additionalMaps == 0
}

// AdditionalItem is the item of additional members.
func (t *List) AdditionalItem() (i Item, listed bool) {
	if t == nil {
		return Item{}, false
	}
	return Item{t.additional, t.additionalMaps}, t.listsAdditional
}

// Rest is the item for an additional member.
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

// Key reports whether an entry of a property bag is expressible, and what of it is not.
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
