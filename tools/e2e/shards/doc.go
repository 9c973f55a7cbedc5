// Package shards tests operators that share the namespaces of a cluster. Three replicas run as
// processes. Each object is reconciled by one of them, while replicas are killed, end, and start,
// and while namespaces move between replicas. The package has tests only.
package shards
