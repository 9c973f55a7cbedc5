// Package convert converts the JSON of stored objects. The webhook and the operator import it,
// and generated code registers plans with it. Programs that only read resources do not need it.
//
//   - [Decode], [Encode] and [Append] read and write objects without losing values of a wrong
//     type.
//   - [Plan] and [Converter] convert the JSON of objects between versions without decoding it
//     into Go values.
//   - [ReadHidden] lists the values of an object that a version cannot represent.
//
// A [Converter] copies unchanged values and edits the members that a plan changes. It refuses
// rare objects for one of the reasons of [Refusal]. The webhook then converts them by Go types,
// to the same JSON values.
package convert
