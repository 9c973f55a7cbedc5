// Package plan decides, as data, what is generated: the packages and structs of
// every group, which storage types are shared, and for every pair of neighbours
// what becomes of each property ([Move]), and why.
//
// Decide first, print later: everything that emit writes, and everything that
// is explained to users, is a printer of one [Plan].
package plan
