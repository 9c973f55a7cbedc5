// Package linear tests that work takes time in proportion to its input. It measures processor
// time, and compares ratios within one run.
package linear
