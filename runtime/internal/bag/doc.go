// Package bag sets entries of property bags, and makes and reads the names and keys of stored
// members.
//
// The names of members come from clients and schemas, and become parts of stored JSON and of keys
// of property bags. The functions of this package are the only ones that make and read such names
// and keys; the generator plans with the same rules, and runtime/genruntime/testdata/keys.txt tests
// both.
//
// In storage JSON a member, or an entry of a map, has the name that it has in the API, but for one
// that could be taken for a property bag: a name of any number of $ before propertyBag has one $
// more. The name in storage is what keys are made of:
//
//	member                     a member that the type of the object lacks, or the first property of that name
//	member@version[.n]         a later property of that name, which first stood in that version; given by the ledger
//	member@version!raw         the value of a member that is of the wrong type in that version
//	member@version!elements!raw  elements of that member that should be objects in that version
//	@version!raw               the value that stands where the object itself should
//	member@version!held!raw    what the Go type of an API version could not hold; see genruntime.HideOwn
//	$shown@version.step        what a hand-written step has shown
//	$additionalProperties      additional members of an open object that no key is for
//	$coveredProperties         what additional members were made of; see genruntime.Raise
//	$foreignProperties         additional members whose names are those of other properties elsewhere
//	$namedProperties           values of objects with additional members that are objects, which no version can show under a
//	                           name that it has; see genruntime.RaiseNamed
//
// A version begins with v and a digit. So a key is marked if behind its last @ stand v and a digit,
// and else is that of a member. A member's name that would read as a marked key, or is empty, ends
// in one @ more as part of a key; so that this can be undone, it does also where it ends in @
// already. One of any number of $ before additionalProperties, coveredProperties, foreignProperties
// or namedProperties has one $ more.
package bag
