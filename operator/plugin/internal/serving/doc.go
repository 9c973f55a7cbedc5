// Package serving implements the plugin side: the registrations, their gRPC services, and their
// instances. It is independent of processes, so that tests serve in memory.
package serving
