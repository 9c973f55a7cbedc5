// Package settings reads releases.yaml: which modules are released, what their users rely on
// besides Go, and the version that each module has. It also writes these versions.
package settings
