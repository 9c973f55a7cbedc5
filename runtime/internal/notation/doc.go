// Package notation defines the lists of members of objects that generated code has as literals,
// [Lists], and their linked form, [List]. It also defines the kinds of JSON values in a list. It
// depends neither on Go types nor on versions.
package notation
