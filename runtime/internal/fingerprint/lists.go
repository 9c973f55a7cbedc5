package fingerprint

// MaxLeafLists is the number of nested lists that have leaves. The leaves of a list include those
// of all lists within it.
const MaxLeafLists = 8

// NamingMembers are the members that identify the elements of a list without a key, in the order
// in which they are tried.
var NamingMembers = []string{"name", "id"}
