// Package arm owns the front-end for ARM deployment-template schemas: JSON
// schemas of drafts 4 to 7, one file per provider and API version, that list
// resources under resourceDefinitions and its scoped variants.
//
// It gives raw resources (see package model): references, unions and
// conjunctions stand as written, one body per declaration. What belongs to
// templates only is left out: expressions, and the members name, type,
// apiVersion and resources of a body with those of the common resource bases.
//
// A schema that cannot be understood makes its resources broken, by name and
// with all errors; what a schema requires and a model cannot say is a note.
// Nothing is dropped in silence.
package arm
