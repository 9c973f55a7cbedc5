// Package exports finds exported names that no other package uses.
//
// It reads the packages of the workspace that modules outside may import, without those of
// generated code. A name has a user if a hand-written file of another package, an example or a page
// of the guide names it. It also has one if the declaration of a used name refers to it, as a
// parameter or a field does. Methods and fields do not count.
//
// The test of the package compares the names without a user with unused.txt, which gives the reason
// for each.
package exports
