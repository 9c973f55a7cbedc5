// Package conformance proves generated types and conversions on drawn objects.
//
// A [Spoke] is a type with its conversions to another and back: an API type to the hub ([Version], [Root]) or a
// storage type to its neighbour ([Step]); or a type alone ([Type]). For every case [Run] draws an object, converts it
// up and down, and demands the same object again. Every tenth case proves more: that no conversion changed its source,
// that both types survive JSON, and that their deep copies equal their source and share nothing with it. Where there
// are 200 cases or more, every property must have been drawn.
//
// Equality is of JSON values: absent, empty and zero are all different; integers compare exactly, numbers as
// float64, free JSON verbatim but for white space. The TypeMeta of an object is neither drawn nor compared, and of
// its ObjectMeta only name, namespace, labels, annotations and generation are. Property bags and the further members of
// open objects are never drawn empty, which is the same as absent there.
//
// A type is compiled once into a program over the offsets of its fields; drawing and comparing use no reflection
// for a value, only for the entries of a map. Programs are made for one spoke and used by one goroutine.
//
// Generated tests are its callers. It uses the standard library alone, and knows the types of Kubernetes and of
// the runtime by their shape only.
//
// What is drawn follows from the names of resource and version, so that a test that passes does so again.
// STRATA_CASES, or -strata.cases, sets the number of cases (50); STRATA_SEED, or -strata.seed, repeats a failure.
package conformance
