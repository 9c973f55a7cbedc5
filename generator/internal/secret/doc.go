// Package secret determines which properties are secrets if the sources do not state it: by the
// rules of a configuration ([Rules.Mark]). It also proposes such rules for properties whose names
// and docs indicate secrets ([Propose]). Properties that it marks are handled as if the source had
// marked them.
package secret
