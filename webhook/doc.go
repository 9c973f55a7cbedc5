// Package webhook serves the conversions of custom resources: it answers the ConversionReviews of the API server.
//
// It owns [Handler], an http.Handler with an engine behind it and limits before it; [EngineOf], the engine for the types of a
// scheme; and [Add], which puts both into a manager of controller-runtime, in place of its own handler.
//
// A handler answers for all objects of a review or for none: the API server wants it so. With types that Strata generated
// there is nothing that fails; with others, the answer names the object and the place.
//
// Package server makes a process of it.
package webhook
