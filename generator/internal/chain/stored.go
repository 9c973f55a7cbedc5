package chain

import (
	"regexp"
	"strings"
)

// bagLike matches the names that could be confused with that of a property bag in storage.
var bagLike = regexp.MustCompile(`^\$+propertyBag$`)

// StoredName returns the name that a property has in storage. The runtime has the same rule for
// members that no schema names; see its key.go.
func StoredName(property string) string {
	if bagLike.MatchString(property) {
		return "$" + property
	}
	return property
}

// marked matches the end of a bag key that is more than a property's name: an @ and a version.
var marked = regexp.MustCompile(`@v[0-9][^@]*$`)

// ownLike matches the names that could be confused with keys that are not names of properties.
var ownLike = regexp.MustCompile(`^\$+(additional|covered|foreign|named)Properties$`)

// MemberKey returns the plain key of a property, as the runtime derives it from a member's name.
// The key of [AdditionalName] is [AdditionalKey].
func MemberKey(property string) string {
	name := StoredName(property)
	switch {
	case property == AdditionalName:
		return AdditionalKey
	case ownLike.MatchString(name):
		return "$" + name
	}
	if rest := strings.TrimRight(name, "@"); rest == "" || marked.MatchString(rest) {
		return name + "@"
	}
	return name
}
