// Package version interprets the names of API versions: how sources spell them, their Kubernetes
// labels, and their order. Package config reads constraints with it, chain orders versions by it,
// and ledger checks names against it.
package version
