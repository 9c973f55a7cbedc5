// Package explain finds a property of a resource in every version: its name and type if it is live,
// or its bag, key and shape if it is stored there, and why. It reads a plan.
package explain
