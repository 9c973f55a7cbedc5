// Package migrate reads hand-written conversions, such as ConvertTo and ConvertFrom of
// controller-runtime, and finds what they do differently from a plan.
//
// It loads packages with the bodies of functions (load), follows each property through variables,
// loops, literals and called functions (follow), and compares the result with the plan (find). A
// value that cannot be followed counts as derived from all of its inputs, so that each difference
// is reported.
//
// It also writes the program that compares how these conversions and those of the plan read stored
// objects.
package migrate
