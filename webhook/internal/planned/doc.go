// Package planned implements the engine that edits the JSON of objects by the plans that generated
// code registers, without decoding them into Go values.
//
// Plans convert common objects quickly. They refuse values that are damaged or spelled in a rare
// form, and kinds with hand-written steps. The next engine converts these with the same result, at
// a higher cost.
package planned
