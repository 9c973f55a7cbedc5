// Package tier tells tests how much they may do. `mage test` runs the tests that show that each
// mechanism works. `mage test:long` also runs what takes the processors minutes: further cases,
// histories and faults. `mage soak` runs all of that with more objects and random inputs, for
// hours.
package tier
