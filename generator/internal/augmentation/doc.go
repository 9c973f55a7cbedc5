// Package augmentation describes the Go code that users write beside generated code.
//
// [Read] parses hand-written files and finds the methods AssignToX and AssignFromX of API, storage
// and compat types. It never changes a file. Package plan decides which conversion calls a method.
//
// A [Package] has hand-written API types: its root types, and how JSON spells the fields of their
// structs, in terms of go/types. A front-end finds the packages, the plan assigns them to versions,
// and emitters write conversions into them.
package augmentation
