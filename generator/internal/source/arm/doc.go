// Package arm is the front-end for ARM deployment-template schemas: JSON schemas of drafts 4 to 7,
// one file per provider and API version. They list resources under resourceDefinitions and its
// scoped variants.
//
// It returns raw resources (see package model), with references, unions and conjunctions as
// written, and one body per declaration. It omits what belongs to templates only: expressions, and
// the members name, type, apiVersion and resources of a body and those of the common resource
// bases.
//
// A schema that cannot be understood makes its resources broken, with their names and all errors.
// What a schema requires and a model cannot represent becomes a note. Nothing is dropped silently.
package arm
