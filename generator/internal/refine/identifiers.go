package refine

import "strconv"

// Identifiers issues names, each of them once. The value of a name is the last number that Unique
// appended to it, and at least 1.
type Identifiers map[string]int

// Has reports whether a name was issued or reserved.
func (i Identifiers) Has(name string) bool { return i[name] > 0 }

// Reserve prevents Unique from returning a name.
func (i Identifiers) Reserve(name string) { i[name] = max(i[name], 1) }

// Unique returns a name that was not issued before, with a number appended if necessary. It tries
// no number up to the last one of the name, because these are taken.
func (i Identifiers) Unique(name string) string {
	out, n := name, max(i[name], 1)
	for ; i.Has(out); out = name + strconv.Itoa(n) {
		n++
	}
	i.Reserve(out)
	i[name] = n
	return out
}
