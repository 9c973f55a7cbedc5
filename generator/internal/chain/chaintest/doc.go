// Package chaintest draws refined resources of several versions for the tests of
// the floors from chain on: properties that come, go, return, change their kind
// or letter case, types that are shared, recursive and open.
package chaintest
