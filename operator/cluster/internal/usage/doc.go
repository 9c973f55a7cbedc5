// Package usage counts how many objects of a cluster set properties. It only reads, a page at a
// time, through one version of a kind.
package usage
