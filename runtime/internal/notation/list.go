package notation

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

// IsEmpty reports whether the list has neither names nor restrictions.
func (t *List) IsEmpty() bool {
	return t == nil || len(t.Items) == 0 && len(t.Keys) == 0 && !t.listsAdditional && t.Kind == ""
}

// Item returns the item of a name, and whether the list has it.
func (t *List) Item(name string) (i Item, listed bool) {
	if t == nil {
		return Item{}, false
	}
	i, listed = t.Items[name]
	return i, listed
}

// Member returns the item of a member, or that of additional members.
func (t *List) Member(name string) (i Item, listed bool) {
	if i, listed = t.Item(name); listed {
		return i, true
	}
	return t.AdditionalItem()
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

// Key reports whether an entry of a property bag is representable. The item describes the parts
// of it that are not.
func (t *List) Key(key string) (i Item, allowed bool) {
	if t == nil {
		return Item{}, false
	}
	i, allowed = t.Keys[key]
	return i, allowed
}
