// Package crdsource tests on a real API server that kinds which speak Kubernetes already
// can be read and written through every version with nothing lost: those of definitions of vendors,
// which are found as package corpus finds them, those of definitions of its own, and those of an
// annotated Go package. It holds tests only.
//
// All are generated into one module. A webhook of twenty lines is built there and runs as a process
// of its own; the definitions are applied as they are generated, but for where the webhook is.
package crdsource
