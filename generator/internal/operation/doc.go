// Package operation describes changes between two versions that users declare, beyond a new name: a
// value that becomes a list, or that has another unit. It says which types a change fits, and
// spells it. Configurations declare changes, and the plan applies them.
package operation
