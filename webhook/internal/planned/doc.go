// Package planned implements the engine that edits the JSON of objects by the plans that generated
// code registers, without decoding them into Go values.
//
// Plans convert common objects quickly. They refuse values that are damaged or spelled in a rare
// form, and kinds with hand-written steps, and give the reason. One table names the engine for each
// reason. The next engine converts these objects with the same result, at a higher cost.
package planned
