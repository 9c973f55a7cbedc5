package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
	"github.com/stratakube/strata/runtime/internal/preserve"
)

// Hide stores in dst's status.propertyBag the values of a storage object that dst cannot
// represent. Dst must have been converted from that object, including its metadata. Spec and
// status are pointers to the storage types of dst's own version, and may be nil.
// ConvertFromStorage of generated roots ends with a call of Hide.
//
// Hide stores the property bags of all objects in spec and status, and an original version other
// than dst's. If there is neither, dst gets no bag, and Hide allocates no memory. The same
// storage object, with the same metadata, always results in the same bytes.
//
// The bag is a JSON object. Its members are sorted, and empty members are omitted:
//
//	declared         the managers that had declared this version when the object was read:
//	                 "last-applied" for the annotation, and "apply:" and the manager for an
//	                 Apply entry that owns spec
//	fingerprints     the version of the fingerprints
//	format           1
//	noStatus         true, if there was no status
//	originalVersion  the original version, if it differs from this version; with it,
//	shown            the fingerprint of the spec, without bags
//	raw              values of the wrong type that Decode removed, as {"spec": hidden, "status":
//	                 hidden}, in the form of spec and status below, but with the elements of
//	                 lists by index only
//	spec, status     the hidden values in them
//
// The hidden values of an object are {"bag": its entries, "in": {member: ...}, "more":
// {additional member: ...}}. Those of a map are {"in": {key: ...}}. Those of a list with a list
// key are {"in": [[index, key, ...]], "keyed": true}. Those of any other list are {"all":
// fingerprints of all elements, "by": a member that names the elements, "in": [[index, ...]],
// "keys": fingerprints of that member, "leaves": half a fingerprint for every scalar of every
// element}. Fingerprints are big endian, concatenated, and encoded in base64 without padding. A
// list with more than 65536 leaves, or nested within eight other lists, has no leaves.
func Hide(dst runtime.Hider, spec, status any) {
	counting.Count(string(runtime.WholeObject))
	preserve.Hide(dst, spec, status)
}

// Restore is [Hide] in the other direction: it restores the values in src's status.propertyBag in
// a storage object that has just been converted from src. Spec and status are pointers to the
// root's pointers, as in &dst.Spec, of the storage types of src's own version. The objects that
// they point to must belong to this conversion alone, because Restore changes them.
// ConvertToStorage of generated roots ends with a call of Restore.
//
// Live values have precedence: Restore adds an entry to a property bag only if the bag has no
// entry of that key. Beyond that it only decides the original version, and removes a status that
// was created to store the bag. Values hidden in an object that was deleted are lost. Restore
// finds the entries of maps by key. It finds the elements of lists by list key. Without one it
// uses name or id, if these are unique both in the old and the new list. Else it aligns all
// elements, as fingerprint.Align does.
//
// The original version becomes this version if the visible spec changed. It also does if the
// last-applied annotation, or an Apply entry that owns spec, newly declares this version. If the
// storage object has values that this version cannot represent, it stays undecided until
// [DecideOriginal].
//
// Restore drops a bag that it cannot read, and reports that to the [runtime.Observer]. It ignores
// hidden values whose objects no longer exist.
func Restore(src runtime.Hider, spec, status any) {
	counting.Count(string(runtime.WholeObject))
	preserve.Restore(src, spec, status)
}
