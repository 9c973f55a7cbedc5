package conformance

import (
	"maps"
	"regexp"
	"strings"
)

// bagName is the name of property bags in storage.
const bagName = "$propertyBag"

// coveredName is the key of the values from which additional members were made. They are removed
// when the members change.
const coveredName = "$coveredProperties"

// furtherName is the key of additional members that an object cannot have.
const furtherName = "$additionalProperties"

// namedName is the key of such members if some are objects.
const namedName = "$namedProperties"

// ofFurthers are the keys of additional members. Each open object shows the members stored there,
// even those that no version names.
var ofFurthers = map[string]bool{"$additionalProperties": true, coveredName: true, "$foreignProperties": true}

// bagAnnotation is the annotation that stores hidden values in a version without a status
// subresource.
const bagAnnotation = "strata.dev/property-bag"

// withoutAnnotation returns annotations without a bag: the same map if there is none, and nil if
// there is no other annotation.
func withoutAnnotation(annotations map[string]string) map[string]string {
	if _, ok := annotations[bagAnnotation]; !ok {
		return annotations
	}
	if len(annotations) == 1 {
		return nil
	}
	annotations = maps.Clone(annotations)
	delete(annotations, bagAnnotation)
	return annotations
}

// storedName returns the name of a member, or of a key of a map, in storage.
func storedName(name string) string {
	if strings.TrimLeft(name, "$") == bagName[1:] && name != bagName[1:] {
		return "$" + name
	}
	return name
}

// memberName returns the member that a key of a bag belongs to. It removes the escapes of names
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

// namedBy returns the member that a key of a bag belongs to, without the mark of a version.
func namedBy(key string) string {
	if at := markedKey.FindStringIndex(key); at != nil {
		return memberName(key[:at[0]])
	}
	return memberName(key)
}

// keyName returns the name of the property that a key of a bag belongs to.
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

// isMemberKey reports whether a key is that of a member, without a mark.
func isMemberKey(key string) bool {
	return key != furtherName && key != namedName && !markedKey.MatchString(key)
}
