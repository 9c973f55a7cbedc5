// Package v1 is version 1 of the kind of plugin that stores backups.
package v1

import "context"

// ObjectStore stores objects under keys.
type ObjectStore interface {
	// Put stores an object, and replaces one under the same key.
	Put(context.Context, *PutRequest) (*PutResponse, error)
	// Get returns an object as a whole.
	Get(context.Context, *GetRequest) (*GetResponse, error)
	// List returns the objects whose keys begin with a prefix.
	List(context.Context, *ListRequest) (*ListResponse, error)
}

// Version is version 1 of the kind.
var Version = define()
