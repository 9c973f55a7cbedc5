package jsontext

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/stratakube/strata/runtime"
)

// Index finds members of a JSON object by name. It uses two words of memory for each member.
type Index struct {
	data    []byte
	jumps   *Jumps
	as      func(name []byte) (string, bool)
	entries []indexEntry
}

// indexEntry has the offsets of a member, and the hash of its name.
type indexEntry struct {
	hash        uint64
	name, value uint32
}

// names is the seed for the hashes of names.
var names = maphash.MakeSeed()

// IndexOf returns the index of a valid JSON value. A value that is no object has an index without
// members. Jumps are those of the value, or of a value around it. As returns the name by which a
// member is found, and whether it is found at all. If as is nil, members have their own names.
func IndexOf(object runtime.JSON, j *Jumps, as func(name []byte) (string, bool)) Index {
	c := Cursor{Data: object, Jumps: j}
	if !c.Take('{') {
		return Index{}
	}
	return indexRest(&c, as)
}

// indexRest returns the index of the remaining members of an object, and steps behind the object.
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

// countRest counts the remaining members of an object.
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

// Len returns the number of members.
func (x *Index) Len() int { return len(x.entries) }

// Find returns the index of the first member with a name, and -1 if there is none. Indices count
// from 0 and have no order.
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

// Has reports whether there is a member with a name.
func (x *Index) Has(name string) bool { return x.Find(name) >= 0 }

// nameAt returns the own name of a member by its index.
func (x *Index) nameAt(i int) []byte {
	c := x.cursor(i)
	return c.Name()
}

// Member returns the own name and the value of a member by its index, and nil for a negative
// index.
func (x *Index) Member(i int) (name []byte, value runtime.JSON) {
	if i < 0 {
		return nil, nil
	}
	c := x.cursor(i)
	name = c.Name()
	return name, c.Raw()
}

// cursor returns a cursor at the name of a member.
func (x *Index) cursor(i int) Cursor {
	return Cursor{Data: x.data, At: int(x.entries[i].name), Jumps: x.jumps}
}
