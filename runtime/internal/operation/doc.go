// Package operation converts values between the two sides of a change that users declare, such as
// from a value to a list. It reads and writes JSON, so that it needs no Go types. Package
// genruntime calls it.
package operation
