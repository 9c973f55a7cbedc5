// Package notation owns the notation in which generated code lists members of objects: its
// [Reader], the parsed [List], and the kinds of JSON values that a list names. It knows neither Go
// types nor versions.
package notation
