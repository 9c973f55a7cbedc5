// Package provider defines the interface between the operator and the providers of external APIs.
// It determines which provider serves a type, how often the operator may call it, and what its
// errors mean. It converts specs to the bodies of calls, and answers to statuses. It reads
// credentials, and stores outputs in Secrets and ConfigMaps. It handles objects only as JSON and
// as generated types.
package provider
