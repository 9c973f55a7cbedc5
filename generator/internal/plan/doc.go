// Package plan decides, as data, what is generated: the packages and structs of every group, and
// which storage types are shared. For every pair of neighbours it decides how each property
// converts ([Move]), and why.
//
// Planning is separate from printing: everything that emit writes, and everything that is
// explained to users, is printed from one [Plan].
package plan
