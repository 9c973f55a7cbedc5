// Package fieldpath parses paths in JSON, such as properties.keys[0].value, and finds their values.
// The operator and providers use the same syntax.
package fieldpath
