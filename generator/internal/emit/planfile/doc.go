// Package planfile prints the conversions of a group as data: the types of stored objects and the
// plan of each version. Programs convert objects by these files without generated code, such as
// strata convert. Package convert of the runtime reads them.
//
// The page docs/guide/reference/plan-files.md describes the format.
package planfile
