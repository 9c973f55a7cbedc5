// Package jsonschema has the rules that dialects of JSON Schema share. The front-ends arm, openapi
// and bicep call it.
//
// A [Compiler] compiles schemas to types of package model: keywords, conjunctions, unions,
// references and constraints. What a [Dialect] does differently, it states as data or implements as
// a method. Nothing here knows a dialect.
//
// A [Scope] owns the definitions that schemas refer to. It names them, records their errors, and
// returns what a resource reaches. Front-ends whose files are no JSON Schema use it alone.
//
// Schemas are hostile input: bounds.go has the limits of what a resource may reach.
package jsonschema
