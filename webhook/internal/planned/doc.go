// Package planned is the engine that edits the JSON of objects by the plans that generated code registers, and never makes
// an object of it.
//
// Plans do what is common, at once. What they refuse - values that are damaged or spelled in a rare way, and kinds that
// hand-written steps complete - the engine behind it converts: the same result, at a higher price.
package planned
