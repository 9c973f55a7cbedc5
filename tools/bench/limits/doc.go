// Package limits measures how the time of a conversion review grows with objects, bytes, hidden
// values and steps, and fits a line to each curve. With what other benchmarks have recorded, it
// calculates what a large cluster costs.
//
// The command strata-limits, which is `mage bench:limits`, prints the report.
package limits
