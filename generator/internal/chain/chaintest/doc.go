// Package chaintest generates random refined resources of several versions, for the tests of
// package chain and of the stages after it. Their properties are added, removed and restored, and
// change their kind or letter case. Their types are shared, recursive and open.
package chaintest
