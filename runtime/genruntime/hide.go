package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
	"github.com/stratakube/strata/runtime/internal/preserve"
)

// Hide stores what dst cannot represent of a storage object in dst's status.propertyBag. Dst has
// been converted from that object, metadata included; spec and status are pointers to the storage
// types of dst's own version, and may be nil. ConvertFromStorage of generated roots ends in it.
//
// Hidden are property bags, at whatever place, and an original version other than dst's. Where
// there is neither, dst has no bag; that case costs no memory. The same storage object, with the
// same metadata, always gives the same bytes.
//
// The bag is a JSON object. Members are sorted, and left out where they are empty:
//
//	declared         who had declared this very version when the object was read: "last-applied" for the
//	                 annotation, "apply:" and the manager for an Apply entry that owns spec
//	fingerprints     the version of the fingerprints
//	format           1
//	noStatus         true, if there was no status
//	originalVersion  the original version, if it was another one; with it,
//	shown            the fingerprint of the spec, without bags
//	raw              values of the wrong type that Decode took out: {"spec": hidden, "status": hidden}, in the form of
//	                 what is hidden, where the elements of lists stand by their indices alone
//	spec, status     what is hidden in them
//
// What is hidden in an object is {"bag": its entries, "in": {member: ...}, "more": {additional
// member: ...}}; in a map {"in": {key: ...}}; in a list whose elements have a list key {"in":
// [[index, key, ...]], "keyed": true}; in any other list {"all": fingerprints of all elements,
// "by": a member that names the elements, "in": [[index, ...]], "keys": fingerprints of that
// member, "leaves": half a fingerprint for every scalar of every element}. Fingerprints are big
// endian, in base64 without padding, one behind the other. A list with more than 65536 leaves is
// without leaves, and so is one within eight others.
func Hide(dst runtime.Hider, spec, status any) {
	counting.Count(string(runtime.WholeObject))
	preserve.Hide(dst, spec, status)
}

// Restore reverses [Hide]: it puts what src's status.propertyBag holds into a storage object that
// has just been converted from src. Spec and status are pointers to the root's pointers, as in
// &dst.Spec, of the storage types of src's own version; what they point to must be of this
// conversion alone, because Restore completes it in place. ConvertToStorage of generated roots ends
// in it.
//
// Live values win: Restore adds entries to property bags where there is none of the key, and does
// nothing else but to decide the original version and to take away a status that was made to carry
// the bag. What is hidden in an object that is gone is gone. In maps, values are found by key; in
// lists by list key, else by name or id where all elements, as they were and as they are, have one
// of their own, else by alignment of all elements; see align.
//
// The original version stays what it was, unless the spec that is shown changed, or this version
// was declared anew in the last-applied annotation or by an Apply entry that owns spec. Then it is
// this version, or, if the storage object has what this version cannot express, undecided until
// [DecideOriginal].
//
// Restore drops a bag that it cannot read, and reports that to the [runtime.Observer]. It ignores
// what it no longer knows in a bag.
func Restore(src runtime.Hider, spec, status any) {
	counting.Count(string(runtime.WholeObject))
	preserve.Restore(src, spec, status)
}
