// Package cputime measures the processor time of this process, for tests that compare amounts of
// work. Unlike wall time it does not grow because other processes are busy.
package cputime
