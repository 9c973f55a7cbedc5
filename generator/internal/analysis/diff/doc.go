// Package diff compares a resource between two versions, or one version between two schema trees.
// It lists the properties that were added, removed or renamed, that became required or optional, or
// that have another type, and the values that enums gained or lost. It states for each change
// whether it breaks clients or stored data.
//
// It compares refined models. Documentation and limits of values do not count. Packages emit/report
// and cli print the result.
package diff
