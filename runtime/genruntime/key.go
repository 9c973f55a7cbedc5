package genruntime

import (
	"slices"
	"strings"
)

// The names of members come from clients and schemas, and become parts of stored JSON and of keys of property bags. The
// functions of this file are the only ones that make and read such names and keys; the generator plans with the same rules, and
// testdata/keys.txt holds both to them.
//
// In storage JSON a member, or an entry of a map, has the name that it has in the API, but for one that could be taken for a
// property bag: a name of any number of $ before propertyBag has one $ more. The name in storage is what keys are made of:
//
//	member                     a member that the type of the object lacks, or the first property of that name
//	member@version[.n]         a later property of that name, which first stood in that version; given by the ledger
//	member@version!raw         the value of a member that is of the wrong type in that version
//	member@version!elements!raw  elements of that member that should be objects in that version
//	@version!raw               the value that stands where the object itself should
//	member@version!held!raw    what the Go type of an API version could not hold; see [HideOwn]
//	$shown@version.step        what a hand-written step has shown
//	$additionalProperties      additional members of an open object that no key is for
//	$coveredProperties         what additional members were made of; see [Raise]
//	$foreignProperties         additional members whose names are those of other properties elsewhere
//	$namedProperties           values of objects with additional members that are objects, which no version can show under a
//	                           name that it has; see [RaiseNamed]
//
// A version begins with v and a digit. So a key is marked if behind its last @ stand v and a digit, and else is that of a
// member. A member's name that would read as a marked key, or is empty, ends in one @ more as part of a key; so that this can
// be undone, it does also where it ends in @ already. One of any number of $ before additionalProperties,
// coveredProperties, foreignProperties or namedProperties has one $ more.

// bagName is the JSON name of property bags.
const bagName = "$propertyBag"

// moreName is the key of the additional members of open objects.
const moreName = "$additionalProperties"

// ownKeys are the keys that are no members' names.
var ownKeys = [...]string{moreName, coveredName, foreignName, namedName}

func isOwnKey(key string) bool { return slices.Contains(ownKeys[:], key) }

// isLikeOwnKey reports whether a name is that of an own key with any number of $ before it.
func isLikeOwnKey(name string) bool {
	return strings.HasPrefix(name, "$") && slices.ContainsFunc(ownKeys[:], func(own string) bool { return isLike(name, own) })
}

const (
	rawMark = "!raw"
	// elementsMark ends the keys of elements of the wrong type.
	elementsMark = "!elements" + rawMark
	// heldMark ends the keys of what an API type could not hold. It ends as that of raw values does, which plans leave to
	// Go types.
	heldMark = "!held" + rawMark
	// shownMark begins the key under which a bag notes what its object has shown of the properties that a hand-written step
	// works with. It is never stored: the step back takes it out.
	shownMark = "$shown@"
)

// storedName returns the name that a member of the API has in storage.
func storedName(name string) string {
	if isLike(name, bagName) {
		return "$" + name
	}
	return name
}

// apiName is the way back of storedName.
func apiName(stored string) string {
	if isLike(stored, bagName) && stored != bagName {
		return stored[1:]
	}
	return stored
}

// isLike reports whether a name is one of Strata's own, which begins with a $, with any number of $ before it.
func isLike[T ~string | ~[]byte](name T, own string) bool {
	dollars := len(name) - len(own)
	if dollars < 0 || string(name[dollars:]) != own {
		return false
	}
	for i := range dollars {
		if name[i] != '$' {
			return false
		}
	}
	return true
}

// memberKey returns the key of a member, by its name in storage.
func memberKey(name string) string {
	if isLikeOwnKey(name) {
		return "$" + name
	}
	if rest := strings.TrimRight(name, "@"); rest == "" || isMarked(rest) {
		return name + "@"
	}
	return name
}

// keyMember returns the member that a key without a mark is of. It refuses marked keys and that of additional members.
func keyMember(key string) (name string, ok bool) {
	switch {
	case key == "" || isOwnKey(key) || isMarked(key):
		return "", false
	case isLikeOwnKey(key):
		return key[1:], true
	}
	return unmarked(key), true
}

// unmarked undoes what memberKey does to a name that would read as a marked key.
func unmarked(key string) string {
	if rest := strings.TrimRight(key, "@"); len(rest) < len(key) && (rest == "" || isMarked(rest)) {
		return key[:len(key)-1]
	}
	return key
}

// isMarked reports whether behind the last @ of a key stands a version.
func isMarked(key string) bool {
	at := strings.LastIndexByte(key, '@')
	return at >= 0 && len(key) > at+2 && key[at+1] == 'v' && '0' <= key[at+2] && key[at+2] <= '9'
}

// rawKey returns the key of the value of a member that is of the wrong type in a version.
func rawKey(name, version string) string { return memberKey(name) + "@" + version + rawMark }

// wholeKey returns the key of a value that stands in a version where an object should, in the bag of that object.
func wholeKey(version string) string { return "@" + version + rawMark }

// elementsKey returns the key of the elements of a list, or the values of a map, that should be objects and are not: what a
// listMisfits is.
func elementsKey(name, version string) string { return memberKey(name) + "@" + version + elementsMark }

// heldKey returns the key of what the Go type of a version could not hold of a member.
func heldKey(name, version string) string { return memberKey(name) + "@" + version + heldMark }

// misfitKey is the key of a misfit.
type misfitKey struct {
	// name is that of a member in storage.
	name string
	// elements is set for elements of that member, whole for the object itself, which has no name.
	elements, whole bool
}

// readMisfit reads a key made by rawKey, elementsKey or wholeKey for a version.
func readMisfit(key, version string) (k misfitKey, ok bool) {
	part, ok := strings.CutSuffix(key, "@"+version+rawMark)
	if !ok {
		part, k.elements = strings.CutSuffix(key, "@"+version+elementsMark)
		ok = k.elements
	}
	switch {
	case !ok:
		return misfitKey{}, false
	case part == "":
		return misfitKey{whole: true}, !k.elements
	}
	k.name, ok = keyMember(part)
	return k, ok
}

// readHeld reads a key made by heldKey, of whatever version.
func readHeld(key string) (name string, ok bool) {
	part, ok := strings.CutSuffix(key, heldMark)
	if !ok || !isMarked(part) {
		return "", false
	}
	return keyMember(part[:strings.LastIndexByte(part, '@')])
}
