// Package assess judges the metadata of a configuration against a chain: which
// properties end without anybody having said why, what each of them is likely
// to be called in the next version ([Find]), and which keys of the metadata match
// nothing, or are needed no longer ([Faults]).
//
// It proposes and never decides: what is one property is the chain's affair, and
// what is written in the configuration the user's.
package assess
