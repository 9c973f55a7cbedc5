// Package version owns the names of API versions: how sources spell them, the
// label that Kubernetes knows each by, and their order. Config reads constraints
// with it, the chain orders versions by it, and the ledger checks names against
// it.
package version
