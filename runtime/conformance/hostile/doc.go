// Package hostile draws JSON objects as clients and damaged stores may send them, for tests that
// compare the engines of conversions.
//
// It draws values of any type in any place, names that the formats of Strata use, repeated members,
// unusual spellings, edited and forged hidden values.
package hostile
