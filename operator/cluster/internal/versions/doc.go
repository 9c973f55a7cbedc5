// Package versions tells in which versions objects of a kind were written, and what each version hides of an object. It
// reads only: objects through the hub's version, a page at a time, and one object through every version that is served.
package versions
