// Package armschema applies published ARM schemas to bodies: it finds the schema of a
// resource type in an API version, reports what is wrong with a body and where, and what of a body
// a version knows. The simulator asks it about each request.
//
// Folders are indexed by the names of their files alone. A file is decoded when a caller asks for a
// provider and version that it may hold, and a schema is compiled when a caller asks for it, once.
//
// Schemas are not compiled as they stand. Published ones are written for a template language, and
// say additionalProperties: false in the base of a union whose branches add properties. So a schema
// is taken apart first: references, conjunctions and unions become a list of alternatives, each of
// which is one plain object, list or scalar. The schemas for the JSON schema library have neither
// bases nor siblings:
//
//   - an alternative is closed, so that unknown properties are refused, unless one of its parts
//     says otherwise or none names a property;
//   - the alternative "a template expression" is left out where there are others;
//   - a body fits a union if it fits one alternative at least: branches that overlap are published
//     often, and services take what fits both;
//   - branches of oneOf that are conditions only, as lists of required members, are judged as they
//     stand: exactly one holds;
//   - what not describes is open, as it has no members of its own;
//   - name, type, apiVersion and resources at the root, with what the common bases add for
//     templates, are neither required nor known;
//   - a property that is required and named nowhere else may be anything; one that the same schema
//     forbids is not required.
//
// The name of a resource is judged by itself. The keywords dependencies, if and format are not
// judged, nor is a pattern that is none.
package armschema
