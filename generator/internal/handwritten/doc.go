// Package handwritten reads conversions that people wrote, as ConvertTo and ConvertFrom
// of controller-runtime have them, and tells what of them a plan does not do yet.
//
// Its floors are: load (packages, with the bodies of functions), follow (which property
// becomes which: through variables, loops, literals and the functions that are called)
// and find (what of that the plan does otherwise, and what to write so that it does).
// What cannot be followed is taken for a value that is derived of all that went in, so
// that nothing is passed over in silence.
//
// It also writes the program that compares how stored objects are read by these
// conversions and by those of the plan.
package handwritten
