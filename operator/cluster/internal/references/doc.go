// Package references finds who in a cluster names versions that go, outside the objects of a kind:
// owner references, Helm releases, inventories of Flux, applications of Argo CD, admission policies
// and webhooks, autoscalers, clients, and replicas of the conversion webhook. It only reads. Users
// write most of what it reads, so that all of it is bounded. Package upgrade calls it.
package references
