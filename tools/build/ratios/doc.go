// Package ratios owns the recorded results of benchmarks that hold on any machine: ratios that were
// measured in one run, and counts. [Set.Losses] compares new results with them.
//
// The file is docs/reports/ratios.json. The targets `mage bench:*` write it, and `mage bench:guard`
// compares with it.
package ratios
