// Package runtime is what generated code imports: the words and the small generic verbs that keep generated
// conversions, copies and JSON methods short.
//
// It owns
//
//   - [JSON] and [PropertyBag], the values that a type carries without understanding them, with [Stash], [Recall]
//     and [Peek];
//   - the lifts [ObjectTo], [ListTo], [MapTo] and their From forms, [CastList] and [CastMap], which conversions
//     are made of;
//   - copying: [Clone], [CopyObject] and their lifts over lists and maps;
//   - [MarshalOpen] and [UnmarshalOpen], for objects that keep members that their schema does not name;
//   - the interfaces that every resource, spec and status has, what their generated methods are made of, such as
//     [SpecTo] and [SetStatus], and [GetVersionedSpec], [GetVersionedStatus] and
//     [NewEmptyVersionedStatus], which give a resource back in the version that its user wrote.
//
// Two rules hold everywhere. Absent and empty are different things: nil stays nil, and an empty list or map stays
// an empty one. And conversions may share memory with their source, but never change it; copies share nothing.
//
// Generated packages, and controllers over them, are its callers. It requires only k8s.io/apimachinery and the
// JSON decoder below it.
package runtime
