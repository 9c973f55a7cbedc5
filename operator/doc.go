// Package operator runs the reconciler as a process, for the generated types of any API. A main
// function has a few lines:
//
//	func main() { operator.Main(api.AddToScheme) }
//
// It controls that process: flags, plugins, leader election, probes, metrics, and the order of
// the shutdown. [Run] is the same for programs with flags of their own.
package operator
