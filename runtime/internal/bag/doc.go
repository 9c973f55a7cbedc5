// Package bag sets entries of property bags, and makes and reads the names and keys of stored
// members.
//
// The names of members come from clients and schemas, and become parts of stored JSON and of keys
// of property bags. Only the functions of this package make and read such names and keys. The
// generator plans with the same rules, and runtime/genruntime/testdata/keys.txt tests both.
//
// In storage JSON, a member or an entry of a map has its name in the API. The exceptions are
// names that a reader could take for that of a property bag. A name that consists of any number
// of $ and propertyBag has one more $. Keys are made from the name in storage:
//
//	member                     a member that the type of the object lacks, or the first property of
//	                           that name
//	member@version[.n]         a later property of that name, which that version introduced; set by
//	                           the ledger
//	member@version!raw         the value of a member that is of the wrong type in that version
//	member@version!elements!raw  elements of that member that should be objects in that version
//	@version!raw               a value in place of the object itself
//	member@version!held!raw    a value that the Go type of an API version cannot represent; see
//	                           genruntime.HideOwn
//	$shown@version.step        the values that a hand-written step has set
//	$additionalProperties      additional members of an open object that have no key
//	$coveredProperties         the values from which additional members were made; see
//	                           genruntime.Raise
//	$foreignProperties         additional members whose names are those of other properties elsewhere
//	$namedProperties           additional members that are objects, and that no version can represent
//	                           under their names; see genruntime.RaiseNamed
//
// A version begins with v and a digit. So a key is marked if its last @ is followed by v and a
// digit. Other keys are those of members. In a key, a member's name has one more @ at its end if
// it is empty, or would read as a marked key. To make this reversible, a name that already ends
// in @ after such a text has one more, too. A name that consists of any number of $ and
// additionalProperties, coveredProperties, foreignProperties or namedProperties has one more $.
package bag
