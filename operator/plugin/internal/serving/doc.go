// Package serving is the inside of a plugin process: what is registered, the gRPC services made of it, and their
// instances. It knows nothing of processes, so that tests serve in memory.
package serving
