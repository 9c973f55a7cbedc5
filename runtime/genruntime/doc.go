// Package genruntime has the functions that generated code calls, and nothing else. They change
// with the generator: only code of the same version of the generator can call them. Programs
// import package runtime. Package convert converts the JSON of objects.
//
// It owns
//
//   - [Stash] and [Recall], which move values to property bags and back;
//   - [ObjectTo], [ListTo], [MapTo] and their From forms, [CastList] and [CastMap], from which
//     generated code composes conversions;
//   - [Clone], [CopyObject] and their forms for lists and maps;
//   - [MarshalOpen] and [UnmarshalOpen], for open objects, and [Lower] and [Raise], for
//     additional members that another version names;
//   - functions that generated methods of resources, specs and statuses call, such as [SpecTo]
//     and [SetStatus];
//   - [Hide] and [Restore], which store in status.propertyBag the values that an API version
//     cannot represent;
//   - [DecideOriginal] and [Unexpressed], which apply the rules of the original version.
//
// # Old clients preserve new data
//
// Only the conversions between an API root and its own storage root read or write the bag in
// status. They end with a call of [Hide] or [Restore]. Both functions read the storage types by
// reflection, and compile the result once for each type. The bytes of the bag, and the
// fingerprints in it, are a stored format (see [Hide]). Golden files test both. A new format
// needs a new number, and a change of the CRD.
//
// Two struct tags of storage types configure them. strata:"key=a,b" on a list names the members
// that identify its elements. default:"json" on a field sets the value that the version assumes
// if the field is absent.
//
// Values hidden in an element of a list follow that element. Restore identifies it by its list
// key, else by its name or id, else by its visible values. Hidden values never move to an element
// that is distinguishable from their own. Identical elements are matched in order. An element
// that lost its key, or whose key now belongs to another element, is a new one. So is an element
// that shares no value with its former state. If one write edits several elements of a list
// without keys or names, only elements with distinguishing values preserve their hidden values.
//
// # The original version
//
// A write through version X makes X the original version if it changes the visible spec, or newly
// declares the spec in X. But an original version Y stays if Y can represent the whole spec and X
// cannot. Only the hub has all the values for this decision. [Restore] therefore stores both
// versions, as in Y|X, the steps copy that text, and [DecideOriginal] decides at the hub.
//
// Two rules apply to all functions. Absent and empty differ: nil stays nil, and an empty list or
// map stays empty. Conversions may share memory with their source, but never change it; deep
// copies share no memory.
package genruntime
