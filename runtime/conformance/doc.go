// Package conformance tests generated types and conversions with random objects.
//
// # Types and conversions alone
//
// A [Spoke] is a type with its conversions to another and back ([Version]), or a type alone
// ([Type]). For every case [Run] draws an object, converts it up and down, and requires the same
// object again. Every tenth case checks more: that no conversion changed its source, that both
// types survive JSON, and that their deep copies equal their source and share nothing with it. In
// 200 cases or more, every property must have been drawn.
//
// # The laws of a kind
//
// [Versions] has all versions of a kind: API types, storage types and the steps between them.
// [Prove] tests each part alone, and then the laws of all together. A case begins with an object
// of one version, and converts it to the hub. Other versions read, edit and write it, so that
// hidden values accumulate as in a cluster. Then it checks these laws for the resulting hub
// object h:
//
//   - spoke law: down(up(x)) is x;
//   - hub law: up(down(h)) is h for each version, including property bags and the original
//     version; in some cases objects are written and read as JSON in between;
//   - all pairs: x does not change when another version reads and writes it;
//   - path law: ConvertTo and ConvertFrom have the same result as all steps together, and spec
//     and status convert alone as in their object;
//   - edit law: after one edit through a version, its storage object has the written values and
//     the same hidden values at the same paths; the original version follows its rules;
//   - hand-written steps: if only clients of one version have seen an object, an edit stores what
//     creating the edited object stores;
//   - damage: unreadable entries of property bags survive, and any status.propertyBag is
//     tolerated.
//
// In lists, elements that look alike may exchange their hidden values. An element that an edit
// made unrecognizable may lose them. If hand-written steps derive values ([Versions.Augmented]),
// an edit may change the derived values. [Golden] tests these steps.
//
// The cases of a version go through its properties in turn: each case draws and then edits one.
// If there are at least as many cases as properties, the test fails if a law was not exercised at
// a property. A failure is reported for the smallest case that breaks the same law.
//
// # Objects
//
// Equality is of JSON values: absent, empty and zero are all different; integers compare exactly,
// numbers as float64, free JSON verbatim except for white space, entries of property bags by
// value. The TypeMeta of an object is neither drawn nor compared. Of its ObjectMeta, only name,
// namespace, labels, annotations and generation are. Property bags and additional members of open
// objects are never drawn empty, which is the same as absent.
//
// A type is compiled once into a program over the offsets of its fields; drawing and comparing
// use reflection only for the entries of maps. A program belongs to one test and one goroutine.
//
// Generated tests call the package. It imports only the standard library, and recognizes types of
// Kubernetes and of the runtime by their shape.
//
// The objects follow from the names of the resource and the version, so that tests are
// repeatable. STRATA_CASES, or -strata.cases, sets the number of cases of each version; the
// defaults are 50 for each part alone, and 800 for the laws of a kind, over all its versions.
// STRATA_SEED, or -strata.seed, repeats a failure.
package conformance
