// Package convert owns the JSON of stored objects. The webhook and the operator import it, and
// generated code registers plans with it; programs that only read resources do not need it.
//
//   - [Decode], [Encode] and [Append] read and write objects without losing values of a wrong type.
//   - [Plan] and [Converter] convert the JSON of objects between versions without making objects of
//     it.
//   - [ReadHidden] lists what a version cannot represent of an object.
//
// A [Converter] copies what stays and edits what a plan changes. It refuses rare objects for one of
// the reasons of [Refusal]; then the webhook converts by Go types, to the same JSON values.
package convert
