// Package notation owns the lists of members of objects that generated code has as literals,
// [Lists], the linked [List], and the kinds of JSON values that a list names. It knows neither Go
// types nor versions.
package notation
