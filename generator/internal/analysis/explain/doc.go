// Package explain finds a property of a resource in every version: under which name and type it is
// live, or in which bag, key and shape it is stored, and why. It reads a plan.
package explain
