// Package openapi owns the front-end for descriptions of HTTP services: Swagger 2.0 and
// OpenAPI 3.0 and 3.1, as JSON or YAML, one document per API version.
//
// Resources are found by the paths that make and read them: as ARM has them, below
// .../providers/<namespace>/<type>/{name}, or as pairs of a collection and an item. What
// a path cannot say, the extension x-strata-resource does; what nobody says is an error.
//
// It gives raw resources (see package model) with a spec, of the body that one sends,
// and a status, of the body that is answered: read-only properties are in the status
// alone, write-only ones and secrets in the spec alone. Types that inherit from one with a
// discriminator are the branches of a union, wherever they are defined. What an object
// says in both is one definition.
//
// References lead to files below the root, and never to a network.
package openapi
