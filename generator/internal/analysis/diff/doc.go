// Package diff compares a resource between two versions, or one version between two schema trees.
// Each change has a rule of package finding: what was added, removed or renamed, which values may
// be written, and what API servers do for clients. It also applies a policy to changes.
//
// It compares refined models. Packages emit/report and cli print the result.
package diff
