// Package own has what is known of API types that people wrote: the packages that
// they are in, the roots, and how the fields of their structs are spelled in JSON.
//
// A front-end finds them; the plan names them beside the versions that they are the
// types of; back-ends write conversions for them into their packages. What they look
// like is said in the language of go/types, which is that of Go itself.
package own
