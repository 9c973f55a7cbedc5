// Package label orders the labels of versions by age, names the version that stands for one that is
// gone, and reads original versions that are not decided yet.
package label
