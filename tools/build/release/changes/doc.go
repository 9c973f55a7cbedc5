// Package changes finds what changed in a module between two trees of the repository, and which
// version the changes require. It compares the Go API of packages, requirements, commands, the
// formats of releases.yaml, and the output of the generator.
package changes
