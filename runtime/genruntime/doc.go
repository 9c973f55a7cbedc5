// Package genruntime has the functions that generated code calls, and nothing else. They change
// with the generator: only code that the same version generated can call them. Programs import
// package runtime; what converts the JSON of objects is in package convert.
//
// It owns
//
//   - [Stash] and [Recall], which move values to property bags and back;
//   - the lifts [ObjectTo], [ListTo], [MapTo] and their From forms, [CastList] and [CastMap], which
//     conversions are made of;
//   - copying: [Clone], [CopyObject] and their lifts over lists and maps;
//   - [MarshalOpen] and [UnmarshalOpen], for objects that store members that their schema does not
//     name, and [Lower] and [Raise], for such members that another version names;
//   - what the generated methods of resources, specs and statuses are made of, such as [SpecTo] and
//     [SetStatus];
//   - [Hide] and [Restore], which store in status.propertyBag what an API version cannot represent;
//   - [DecideOriginal] and [Unexpressed], the rules of the original version.
//
// # Old clients preserve new data
//
// The bag in status belongs to an API type and its own storage type: the conversions between their
// roots end in [Hide] and [Restore], and no other conversion knows of it. Both read the storage
// types by reflection, compiled once for a type, so that generated code is two calls. The bytes of
// the bag are a contract (see [Hide]), and so are the fingerprints in it; golden files pin both. A
// new format needs a new number, and a change of the CRD.
//
// Two struct tags of storage types steer them: strata:"key=a,b" on a list names the members that
// identify its elements, and default:"json" on any field the value that the version assumes.
//
// What is hidden in an element of a list follows that element, by its list key, else its name or
// id, else its looks; it never goes to an element that can be told apart. Elements that look
// identical are taken in order, one that lost its key, or gave it to another, is a new one, and one
// that was edited until it shares no value with what it was is new too. Where several elements of a
// list without keys or names are edited in one write, only those preserve what they hide whose
// values tell them apart.
//
// # The original version
//
// A write through X makes X the original version if it changes the visible spec, or declares it
// anew in X. But an original version Y stays if X cannot express the whole spec while Y can. Only
// the hub can decide this: [Restore] leaves the version undecided, as in Y|X, the steps copy that,
// and [DecideOriginal] decides at the hub.
//
// Two rules hold everywhere. Absent and empty are different things: nil stays nil, and an empty
// list or map stays an empty one. And conversions may share memory with their source, but never
// change it; copies share nothing.
package genruntime
