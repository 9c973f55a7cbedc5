// Package v3 is version 3 of the kind of plugin that stores backups. Objects and lists have any
// size. A list has the sizes of objects again, which version 2 had dropped. So stores of version 1
// are adapted directly.
package v3

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"

	"example.com/backup/objectstore/v1"
	"example.com/backup/objectstore/v2"
)

// ObjectStore stores objects under keys.
type ObjectStore interface {
	// Put stores an object, and replaces one under the same key.
	Put(context.Context, *v1.PutRequest) (*v1.PutResponse, error)
	// Get sends an object in pieces.
	Get(ctx context.Context, in *v1.GetRequest, send func(*Piece) error) error
	// List sends the objects whose keys begin with a prefix.
	List(ctx context.Context, in *v1.ListRequest, send func(*Object) error) error
	// Exists reports whether there is an object under a key.
	Exists(context.Context, *v2.ExistsRequest) (*v2.ExistsResponse, error)
}

// Version is version 3 of the kind.
var Version = define(contract.Adapted(v2.Version, adapt), contract.Adapted(v1.Version, adaptFirst))
