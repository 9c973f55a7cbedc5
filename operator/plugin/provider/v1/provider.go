// Package v1 is version 1 of the kind of plugin that manages resources in an external API: the
// messages between the operator and the provider, and the interface.
//
// A call returns when it is complete. An error has only a message. Version 2 adds operations and
// details of errors.
package v1

import "context"

// Provider manages resources in an external API. Its methods are called concurrently for different
// resources, and never for the same one. They must end when the context ends.
type Provider interface {
	// Observe reads a resource of the external API, and changes nothing. A resource that does not
	// exist is not an error.
	Observe(context.Context, *ObserveRequest) (*ObserveResponse, error)
	// Apply creates or updates the resource in the external API by its spec. Calling it again with
	// the same request must be safe: the host does not know whether an interrupted call took
	// effect.
	Apply(context.Context, *ApplyRequest) (*ApplyResponse, error)
	// Delete removes the resource from the external API. A resource that does not exist is not an
	// error.
	Delete(context.Context, *DeleteRequest) (*DeleteResponse, error)
}

// Version is version 1 of the kind.
var Version = define()
