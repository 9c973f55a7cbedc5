// Package fingerprint makes fingerprints of JSON values, and aligns lists by them.
//
// Fingerprints show whether a user changed a visible value. They are stored in
// status.propertyBag, so that version 1 of their format must never change. A fingerprint is 64
// bits of a JSON value. It does not depend on the spelling of the value, or on whether its type
// is known:
//
//   - null, false, zero, "", [] and {}, and objects that have only these, are nothing, which is
//     0;
//   - in objects, order does not count, nor do members that are nothing or equal the default of
//     the version;
//   - if the default is known and is not nothing, a present member that is nothing counts as
//     such;
//   - numbers count by their value: 1, 1.0 and 1e0 are equal; whole numbers are exact at any
//     size, others are float64;
//   - in lists, order counts, and so do elements that are nothing;
//   - property bags do not count.
//
// Fingerprints are computed with mix, which is SplitMix64's step and output, and join(a, b) =
// mix(a^b). All additions are modulo 2^64:
//
//	text of kind k   h = join(mix(k), length in bytes), then h = join(h, w) for all words w of eight bytes, little
//	                 endian, the last filled with zero bytes
//	name             text of kind 1
//	true             mix(2)
//	whole number     join(mix(3), n) where n fits 64 bits with a sign, else text of kind 5: the digits without zeros
//	                 at the end, with a minus before them where there is one, an e, and the power of ten
//	other number     join(mix(4), bits of the float64)
//	string           text of kind 6
//	list             h = mix(7), then h = join(h, element) for all, then join(h, length)
//	object           join(mix(8), sum of join(name, value) of the members that count)
//	counted nothing  mix(9)
//	what is no JSON  text of kind 10
//
// A leaf is the upper half of join(name, value) of a scalar, or of free JSON. The name is the
// name or key of the nearest member that contains it.
package fingerprint
