// Package countdown has the context of tests of interrupts: it ends after a number of checks.
package countdown
