// Package armschema applies published ARM schemas to bodies. It finds the schema of a resource
// type in an API version, reports faults of a body with their paths, and returns the part of a
// body that a version knows. The simulator calls it for each request.
//
// Folders are indexed by the names of their files alone. A file is decoded when a caller asks for
// a provider and version that it may have. A schema is compiled once, when a caller asks for it.
//
// Schemas are not compiled as they are published. Those are written for a template language, and
// set additionalProperties to false in the base of a union whose branches add properties. So
// package armschema first splits a schema: references, conjunctions and unions become a list of
// alternatives, each of which is one plain object, list or scalar. The schemas for the JSON
// schema library have neither bases nor siblings:
//
//   - an alternative is closed, so that unknown properties are refused, unless one of its parts
//     allows others or none names a property;
//   - the alternative "a template expression" is left out if there are others;
//   - a body fits a union if it fits at least one alternative: many published branches overlap, and
//     services accept bodies that fit both;
//   - branches of oneOf that are only conditions, such as lists of required members, are validated
//     unchanged: exactly one must hold;
//   - the schema in not is open, because it has no members of its own;
//   - name, type, apiVersion and resources at the root, and members that the common bases add for
//     templates, are neither required nor known;
//   - a property that is required and never declared may have any value; one that the same schema
//     forbids is not required.
//
// The name of a resource is validated separately. The keywords dependencies, if and format are
// not validated, nor is a pattern that cannot be compiled.
package armschema
