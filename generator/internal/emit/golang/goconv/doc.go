// Package goconv writes the conversions of a plan: between API types and their
// storage types, fused to the hub, the steps between neighbouring storage types,
// and the methods of roots, specs and statuses that callers use.
package goconv
