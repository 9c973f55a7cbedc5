// Package v2 is version 2 of the kind of plugin that manages resources in an external API. It adds
// to version 1 a resource's owners, the identification of a resource before any call, operations
// for changes that take long, and errors with instructions.
package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/provider/v1"
)

// Provider manages resources in an external API. Its methods are called concurrently for different
// resources, and never for the same one. They must end when the context ends. Errors are best made
// by Fail.
type Provider interface {
	// Identify returns the identity of a subject, whether or not the resource exists, and the scope
	// of its credentials. It makes no calls. If the subject has an identifier, that comes from an
	// annotation, which users can write. Identify refuses one of another type, outside the scope of
	// the credentials, or that would lead to another path.
	Identify(context.Context, *Subject) (*Identity, error)
	// Observe reads a resource of the external API, and changes nothing. A resource that does not
	// exist is not an error.
	Observe(context.Context, *Subject) (*v1.ObserveResponse, error)
	// Apply begins to create or update the resource in the external API by its spec. Calling it
	// again with the same request must be safe: the host does not know whether an interrupted call
	// took effect. Its failures report whether the call can have had an effect; see package effect.
	Apply(context.Context, *ApplyRequest) (*Outcome, error)
	// Delete begins to remove the resource from the external API. A resource that does not exist is
	// not an error.
	Delete(context.Context, *Subject) (*Outcome, error)
	// Poll returns the progress of an operation. A failed operation is an error.
	Poll(context.Context, *OperationRequest) (*Outcome, error)
	// Cancel asks for the end of an operation that can be cancelled. Poll returns how it ended.
	Cancel(context.Context, *OperationRequest) (*CancelResponse, error)
}

// Version is version 2 of the kind.
var Version = define(contract.Adapted(v1.Version, adapt))

// Fail returns an error with instructions for the operator.
func Fail(f *Failure) error { return contract.WithDetail(f.GetMessage(), f) }

// FailureOf returns the instructions of an error. It is nil if the provider gave none, as with
// plugins of version 1.
func FailureOf(err error) *Failure {
	f, _ := contract.Detail[*Failure](err)
	return f
}
