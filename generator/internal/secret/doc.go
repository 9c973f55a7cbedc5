// Package secret decides which properties are secrets where the sources do not say it: by the rules of
// a configuration ([Rules.Mark]), and it proposes such rules for properties whose names and docs tell of
// secrets ([Propose]). What it marks is handled as if the source had marked it.
package secret
