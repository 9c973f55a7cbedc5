// Package v1 is version 1 of the kind of plugin that looks after resources in an external API: the messages, which say what
// the operator tells and wants to know, and the interface.
//
// A call returns when all is done. An error says nothing but what it reads. Version 2 can do better.
package v1

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// Provider looks after resources in an external API. Its methods are called at the same time for many resources, for one
// resource never twice at once. They are given up when the context ends.
type Provider interface {
	// Observe reads a resource as it is outside, and changes nothing. That it is not there is no error.
	Observe(context.Context, *ObserveRequest) (*ObserveResponse, error)
	// Apply makes the resource outside as its spec wants it. It must stand being called again with the same request: the
	// host does not know whether a call that was cut off took effect.
	Apply(context.Context, *ApplyRequest) (*ApplyResponse, error)
	// Delete removes the resource outside. That it is not there is no error.
	Delete(context.Context, *DeleteRequest) (*DeleteResponse, error)
}

// Version is version 1 of the kind.
var Version = define(contract.Step[Provider]{})
