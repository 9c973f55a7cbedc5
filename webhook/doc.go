// Package webhook serves the conversions of custom resources: it answers the ConversionReviews of
// the API server.
//
// It contains [Handler], an http.Handler that enforces limits and converts with an engine;
// [EngineOf], which makes the engine for the types of a scheme; and [Add], which registers both
// with a manager of controller-runtime, in place of its own handler.
//
// A handler converts all objects of a review or none, as the API server requires. Types that Strata
// generated never fail to convert. For other types, the error names the object and the path.
//
// Package server runs a handler as a process.
package webhook
