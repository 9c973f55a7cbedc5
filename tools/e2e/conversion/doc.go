// Package conversion tests on a real API server that every version of the worked example
// can be read and written with nothing lost: through clients, through kubectl, with other users,
// and while webhooks come and go. It holds tests only. They share a cluster, the definitions and
// policies as they are generated, and a webhook in their own process, which the API server reaches
// through a balancer.
package conversion
