// Package explorer prints the history of kinds as pages that a browser shows from disk: which
// versions have a property, what it was called before, and where its value is stored in versions
// that cannot represent it.
//
// [New] makes a [History] of the plan of a group. [Files] prints one page for each history, and an
// index of the pages. A page has its data, its style and its program in itself, and refers to
// nothing else.
package explorer
