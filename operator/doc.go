// Package operator makes a process of the reconciler, for the generated types of any API. A main is
// a few lines:
//
//	func main() { operator.Main(api.AddToScheme) }
//
// It owns how that process lives: flags, plugins, leader election, probes, metrics, and in which
// order all of it ends. [Run] is the same for programs that have flags of their own.
package operator
