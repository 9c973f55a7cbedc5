// Package linear tests that work takes time in proportion to its input. It measures time of the
// processor and compares ratios within one run.
package linear
