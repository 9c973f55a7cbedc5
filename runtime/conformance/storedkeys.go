package conformance

import (
	"maps"
	"regexp"
	"strings"
)

// bagName is the name of property bags in storage.
const bagName = "$propertyBag"

// coveredName is the key of what additional members were made of. It goes when they change.
const coveredName = "$coveredProperties"

// furtherName is the key of additional members that an object cannot have.
const furtherName = "$additionalProperties"

// namedName is the key of such members where some are objects.
const namedName = "$namedProperties"

// ofFurthers are the keys of additional members. Each open object shows what lies there, also
// members that no version has.
var ofFurthers = map[string]bool{"$additionalProperties": true, coveredName: true, "$foreignProperties": true}

// bagNote is the annotation in which a version without a status subresource stores what it cannot
// show.
const bagNote = "strata.dev/property-bag"

// withoutNote returns annotations without a bag: the same where there is none, nil where there is
// nothing else.
func withoutNote(notes map[string]string) map[string]string {
	if _, ok := notes[bagNote]; !ok {
		return notes
	}
	if len(notes) == 1 {
		return nil
	}
	notes = maps.Clone(notes)
	delete(notes, bagNote)
	return notes
}

// storedName is the name that a member, or a key of a map, has in storage.
func storedName(name string) string {
	if strings.TrimLeft(name, "$") == bagName[1:] && name != bagName[1:] {
		return "$" + name
	}
	return name
}

// memberName is the member that a key of a bag is of, where it is of one: the runtime escapes names
// that would read as other keys.
func memberName(key string) string {
	if rest := strings.TrimRight(key, "@"); len(rest) < len(key) && (rest == "" || markedKey.MatchString(rest)) {
		return key[:len(key)-1]
	}
	if ownKey.MatchString(key) {
		return key[1:]
	}
	return key
}

// namedBy is the member whose value a key of a bag is of.
func namedBy(key string) string {
	if at := markedKey.FindStringIndex(key); at != nil {
		return memberName(key[:at[0]])
	}
	return memberName(key)
}

// keyName is the name of the property that a key of a bag stands for.
func keyName(key string) string {
	name, _, _ := strings.Cut(key, "@")
	return name
}

var (
	markedKey = regexp.MustCompile(`@v[0-9][^@]*$`)
	ownKey    = regexp.MustCompile(`^\$\$+(additional|covered|foreign|named)Properties$`)
)

// isMarkedKey reports whether a key has the mark of a version.
func isMarkedKey(key string) bool {
	return markedKey.MatchString(key) && !strings.HasSuffix(key, "!elements!raw")
}

// isMemberKey reports whether a key is that of a member without a mark.
func isMemberKey(key string) bool {
	return key != furtherName && key != namedName && !markedKey.MatchString(key)
}
