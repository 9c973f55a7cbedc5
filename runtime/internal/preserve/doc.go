// Package preserve stores what an API version cannot represent when an object is converted to it,
// and restores that when the object comes back. It also decides which version is the original one.
// What it stores is read and written by package hidden.
package preserve
