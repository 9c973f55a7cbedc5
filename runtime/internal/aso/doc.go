// Package aso reads objects that Azure Service Operator (ASO) has stored, and writes objects as
// it would. Package convert registers the versions of such objects.
//
// An ASO storage version has the members of its API version, the original version in the spec,
// and in each object a property bag: a map from Go names to strings. Such a string is the value
// of a string property, or the JSON of another value, which can have bags itself. Keys name
// properties of other API versions.
//
// [Reader.Read] therefore needs no format of its own. It converts what the API version has to the
// hub. Then it sets the entries of bags as an old client would, in the versions that have such
// properties. The laws of these conversions decide where a value is stored, under which key, and
// that no other value changes. Entries that no version has are stored in the property bag of the
// hub, as one entry: a tree of the form that they had in the object.
package aso
