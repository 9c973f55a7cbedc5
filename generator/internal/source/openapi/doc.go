// Package openapi is the front-end for descriptions of HTTP services: Swagger 2.0 and OpenAPI 3.0
// and 3.1, as JSON or YAML, one document per API version.
//
// It finds resources by the paths that create and read them: in the form of ARM, below
// .../providers/<namespace>/<type>/{name}, or as pairs of a collection and an item. The extension
// x-strata-resource adds what a path cannot express. If neither determines a resource, that is an
// error.
//
// It returns raw resources (see package model) with a spec of the request body, and a status of the
// response body. Read-only properties are in the status alone. Write-only ones and secrets are in
// the spec alone. Types that inherit from one with a discriminator are the branches of a union,
// wherever they are defined. An object that is the same in both is one definition.
//
// References lead to files below the root, and never to a network.
package openapi
