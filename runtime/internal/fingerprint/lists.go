package fingerprint

// MaxLeafLists is how many lists within each other have leaves: each of them has those of all lists
// within.
const MaxLeafLists = 8

// NamingMembers are the members that name the elements of a list, where the list has no key. They
// are tried in this order.
var NamingMembers = []string{"name", "id"}
