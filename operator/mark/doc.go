// Package mark owns what stands in the metadata of an object about its resource outside: the annotations by which people
// steer the operator, and those by which the operator remembers, across crashes and changes of leader, what it has begun.
//
// What it remembers is worth something only on the object that it was written to. A claim says on which: annotations that
// came along with a copy of a manifest are not believed.
package mark
