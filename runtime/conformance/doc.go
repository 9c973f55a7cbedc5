// Package conformance proves generated types and conversions on drawn objects.
//
// # Types and conversions alone
//
// A [Spoke] is a type with its conversions to another and back ([Version]), or a type alone
// ([Type]). For every case [Run] draws an object, converts it up and down, and requires the same
// object again. Every tenth case checks more: that no conversion changed its source, that both
// types survive JSON, and that their deep copies equal their source and share nothing with it.
// Where there are 200 cases or more, every property must have been drawn.
//
// # The laws of a kind
//
// [Versions] are a kind in all its versions: API types, storage types and the steps between them.
// [Prove] proves each part alone, and then the laws of all together. A case begins with an object
// of one version, converts it to the hub, and lets other versions read, edit and write it, so that
// hidden values come together as they do in clusters. Then it checks the
// hub object h that came out:
//
//   - spoke law: down(up(x)) is x;
//   - hub law: up(down(h)) is h, property bags and original version included, whatever version
//     reads and writes it, now and then as JSON between;
//   - all pairs: x is what it was after another version has read and written it;
//   - path law: ConvertTo and ConvertFrom are what all steps together make, and spec and status
//     convert alone as they do together;
//   - edit law: after one edit through a version, its storage object shows what was written, hides
//     what it hid where it hid it, and nothing else; the original version follows its rules;
//   - damage: entries of property bags that nobody can read survive, and status.propertyBag may
//     hold anything.
//
// In lists, elements that look alike may have each other's hidden values, and an element that was
// edited beyond recognition may lose its own. Where hand-written steps derive values
// ([Versions.Augmented]), an edit may change what is derived. [Golden] shows what they do.
//
// Cases of a version take its properties in turns: each is drawn, and then edited, in one case of a
// round. From as many cases as a version has properties on, a law that was exercised at none fails
// the test. A failure is shown for the smallest case that breaks the same law.
//
// # Objects
//
// Equality is of JSON values: absent, empty and zero are all different; integers compare exactly,
// numbers as float64, free JSON verbatim but for white space, entries of property bags by value.
// The TypeMeta of an object is neither drawn nor compared, and of its ObjectMeta only name,
// namespace, labels, annotations and generation are. Property bags and the further members of open
// objects are never drawn empty, which is the same as absent there.
//
// A type is compiled once into a program over the offsets of its fields; drawing and comparing use
// no reflection for a value, only for the entries of a map. Programs are made for one test and
// used by one goroutine.
//
// Generated tests are its callers. It uses the standard library alone, and knows the types of
// Kubernetes and of the runtime by their shape only.
//
// What is drawn follows from the names of resource and version, so that a test that passes does so
// again. STRATA_CASES, or -strata.cases, sets the number of cases of each version; without it, 50
// prove a part alone, and the laws of a kind have 800 to share. STRATA_SEED, or -strata.seed,
// repeats a failure.
package conformance
