// Package explain tells where a property of a resource is in every version: live
// under which name and type, or in whose bag, under which key and in which shape,
// and why. It is one more printer of a plan.
package explain
