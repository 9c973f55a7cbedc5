// Package v1 is version 1 of a kind of plugin that hands out items.
package v1

import "context"

// Store is what a plugin implements.
type Store interface {
	Fetch(context.Context, *FetchRequest) (*Fetched, error)
}

// Version is version 1 of the kind.
var Version = define()
