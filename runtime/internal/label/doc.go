// Package label orders the labels of versions by age. It chooses the version that replaces a
// removed one, and reads original versions that are not decided yet.
package label
