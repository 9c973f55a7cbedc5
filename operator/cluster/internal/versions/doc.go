// Package versions reports in which versions objects of a kind were written, and which values of an
// object each version hides. It only reads: objects through the hub's version, a page at a time,
// and one object through every served version.
package versions
