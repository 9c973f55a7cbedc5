// Package v2 is version 2 of the kind of plugin that looks after resources in an external API. Beyond version 1, it tells of
// a resource's owners, identifies a resource before anything is called, has operations for changes that take long, and errors
// that say what to do about them.
package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/provider/v1"
)

// Provider looks after resources in an external API. Its methods are called at the same time for many resources, for one
// resource never twice at once. They are given up when the context ends. Errors are best made by Fail.
type Provider interface {
	// Identify returns which resource a subject is, whether or not it exists, and the scope of its credentials. It calls
	// nobody. An identifier that the subject has comes from an annotation, which users can write: Identify refuses one that
	// is of another type, lies outside the scope of the credentials, or would lead to another path.
	Identify(context.Context, *Subject) (*Identity, error)
	// Observe reads a resource as it is outside, and changes nothing. That it is not there is no error.
	Observe(context.Context, *Subject) (*v1.ObserveResponse, error)
	// Apply begins to make the resource outside as its spec wants it. It must stand being called again with the same
	// request: the host does not know whether a call that was cut off took effect. Its failures say whether the call can have had an effect; see package effect.
	Apply(context.Context, *ApplyRequest) (*Outcome, error)
	// Delete begins to remove the resource outside. That it is not there is no error.
	Delete(context.Context, *Subject) (*Outcome, error)
	// Poll tells how an operation gets on. One that has failed is an error.
	Poll(context.Context, *OperationRequest) (*Outcome, error)
	// Cancel asks for the end of an operation that says that it can be cancelled. Polling tells how it ended.
	Cancel(context.Context, *OperationRequest) (*CancelResponse, error)
}

// Version is version 2 of the kind.
var Version = define(contract.Adapted(v1.Version, adapt))

// Fail is an error that says what to do about it.
func Fail(f *Failure) error { return contract.WithDetail(f.GetMessage(), f) }

// FailureOf finds what to do about an error. Where the provider has not said, as plugins of version 1 cannot, it is nil.
func FailureOf(err error) *Failure {
	f, _ := contract.Detail[*Failure](err)
	return f
}
