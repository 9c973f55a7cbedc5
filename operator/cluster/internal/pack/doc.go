// Package pack reads a package folder, which `strata generate` writes and users deploy: its CRDs.
// The folder is bounded, and trusted for nothing else. Command `upgrade plan` calls it.
package pack
