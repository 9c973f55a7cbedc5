// Package operator tests on a real API server that the operator makes resources of an external API
// as objects declare them, once each: through every version of the worked example, across crashes
// and changes of leader, at the cost that is promised. It holds tests only. They share a cluster
// and a webhook in their own process; each has a namespace, an external API in memory and an
// operator of its own.
package operator
