// Package env sets up what an operator works between: a real API server with an API's definitions,
// the API's conversion webhook, the simulator of the external API, and operators with their plugins
// as processes of their own.
//
// StartWebhook runs the webhook of the worked example by itself, as a process on loopback; its
// flags say what it serves with.
//
// The package owns the order of things, where they listen, and that all of it ends together. What
// is made with it, and what is found out, is for its callers: the end-to-end tests, the tests of
// faults, the bench and the demo.
package env
