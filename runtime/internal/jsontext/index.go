package jsontext

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/stratakube/strata/runtime"
)

// Index finds members of a JSON object by their names. It takes two words for each member.
type Index struct {
	data    []byte
	jumps   *Jumps
	as      func(name []byte) (string, bool)
	entries []indexEntry
}

// indexEntry is where a member lies, by a hash of its name.
type indexEntry struct {
	hash        uint64
	name, value uint32
}

// names is the seed of all hashes of names.
var names = maphash.MakeSeed()

// IndexOf returns the index of a valid JSON value; that of an object without members for what is
// none. Jumps are those of the object, or of a value around it. As returns the name by which a
// member is found, and whether it is at all; where it is nil, members have their own names.
func IndexOf(object runtime.JSON, j *Jumps, as func(name []byte) (string, bool)) Index {
	c := Cursor{Data: object, Jumps: j}
	if !c.Take('{') {
		return Index{}
	}
	return indexRest(&c, as)
}

// indexRest returns the index of the members that a cursor has left of an object, and steps behind
// the object.
func indexRest(c *Cursor, as func(name []byte) (string, bool)) Index {
	x := Index{data: c.Data, jumps: c.Jumps, as: as, entries: make([]indexEntry, 0, c.countRest())}
	for c.More('}') {
		at := c.At
		if hash, ok := x.hash(c.Name()); ok {
			x.entries = append(x.entries, indexEntry{hash, uint32(at), uint32(c.At)})
		}
		c.Raw()
	}
	slices.SortFunc(x.entries, func(a, b indexEntry) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.name, b.name)) })
	return x
}

// countRest counts the members that are left of an object.
func (c Cursor) countRest() (n int) {
	for ; c.More('}'); n++ {
		c.Name()
		c.Raw()
	}
	return n
}

func (x *Index) hash(name []byte) (uint64, bool) {
	if x.as == nil {
		return maphash.Bytes(names, name), true
	}
	found, ok := x.as(name)
	return maphash.String(names, found), ok
}

// Len is how many members the index has.
func (x *Index) Len() int { return len(x.entries) }

// Find returns the number of the first member that is found by a name, from 0 on, in no order; -1
// for none.
func (x *Index) Find(name string) int {
	hash := maphash.String(names, name)
	i, _ := slices.BinarySearchFunc(x.entries, hash, func(e indexEntry, hash uint64) int { return cmp.Compare(e.hash, hash) })
	for ; i < len(x.entries) && x.entries[i].hash == hash; i++ {
		own := x.nameAt(i)
		if x.as == nil {
			if string(own) == name {
				return i
			}
		} else if found, _ := x.as(own); found == name {
			return i
		}
	}
	return -1
}

// Has reports whether a member is found by a name.
func (x *Index) Has(name string) bool { return x.Find(name) >= 0 }

// nameAt is the own name of a member by its number.
func (x *Index) nameAt(i int) []byte {
	c := x.cursor(i)
	return c.Name()
}

// Member returns the own name and the value of a member by its number; nil for none.
func (x *Index) Member(i int) (name []byte, value runtime.JSON) {
	if i < 0 {
		return nil, nil
	}
	c := x.cursor(i)
	name = c.Name()
	return name, c.Raw()
}

// cursor is one before the name of a member.
func (x *Index) cursor(i int) Cursor {
	return Cursor{Data: x.data, At: int(x.entries[i].name), Jumps: x.jumps}
}
