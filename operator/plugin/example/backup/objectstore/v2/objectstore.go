// Package v2 is version 2 of the kind of plugin that stores backups. List returns keys only, so
// that stores of many objects need not look at each. Exists is new.
package v2

import (
	"context"
	"slices"

	"github.com/stratakube/strata/operator/plugin/contract"

	"example.com/backup/objectstore/v1"
)

// ObjectStore stores objects under keys.
type ObjectStore interface {
	// Put stores an object, and replaces one under the same key.
	Put(context.Context, *v1.PutRequest) (*v1.PutResponse, error)
	// Get returns an object as a whole.
	Get(context.Context, *v1.GetRequest) (*v1.GetResponse, error)
	// List returns the keys that begin with a prefix.
	List(context.Context, *v1.ListRequest) (*ListResponse, error)
	// Exists reports whether there is an object under a key.
	Exists(context.Context, *ExistsRequest) (*ExistsResponse, error)
}

// Version is version 2 of the kind.
var Version = define(contract.Adapted(v1.Version, adapt))

// adapt adapts a store of version 1. It loses the sizes of objects.
func adapt(older v1.ObjectStore) ObjectStore { return adapted{older} }

type adapted struct{ older v1.ObjectStore }

func (a adapted) Put(ctx context.Context, in *v1.PutRequest) (*v1.PutResponse, error) {
	return a.older.Put(ctx, in)
}

func (a adapted) Get(ctx context.Context, in *v1.GetRequest) (*v1.GetResponse, error) {
	return a.older.Get(ctx, in)
}

func (a adapted) List(ctx context.Context, in *v1.ListRequest) (*ListResponse, error) {
	listed, err := a.older.List(ctx, in)
	out := &ListResponse{}
	for _, object := range listed.GetObjects() {
		out.Keys = append(out.Keys, object.GetKey())
	}
	return out, err
}

// Exists lists all objects whose keys begin with the key.
func (a adapted) Exists(ctx context.Context, in *ExistsRequest) (*ExistsResponse, error) {
	listed, err := a.List(ctx, &v1.ListRequest{Prefix: in.GetKey()})
	return &ExistsResponse{Exists: slices.Contains(listed.GetKeys(), in.GetKey())}, err
}
