// Package gotypes writes the Go types of a plan: for every package the API types
// and, below it, the storage types, their registration and their deep copies.
package gotypes
