// Package build builds images of Go commands with ko, and writes them as an OCI layout and as
// tarballs. It uses neither a container engine nor a registry.
package build
