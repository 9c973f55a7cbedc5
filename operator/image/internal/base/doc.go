// Package base makes the base images of programs: with the files that a static Go program needs, or
// from an OCI layout of the user, and with plugins. It uses no registry.
package base
