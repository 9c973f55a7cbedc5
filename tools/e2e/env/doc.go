// Package env sets up the environment of an operator: a real API server with an API's CRDs, the
// API's conversion webhook, the simulator of the external API, and operators with their plugins
// as separate processes.
//
// StartWebhook runs the webhook of the worked example by itself, as a process on loopback, with
// the caller's flags.
//
// The package owns the order in which the parts start, their addresses, and that all of them end
// together. Its callers create objects and check results: the end-to-end tests, the tests of
// faults, the benchmarks and the demo.
package env
