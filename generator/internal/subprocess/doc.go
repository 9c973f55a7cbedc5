// Package subprocess runs a program that ends soon after a context does, with all that it started.
package subprocess
