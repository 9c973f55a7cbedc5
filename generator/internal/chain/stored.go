package chain

import (
	"regexp"
	"strings"
)

// bagLike are the names that could be taken for that of a property bag in storage.
var bagLike = regexp.MustCompile(`^\$+propertyBag$`)

// StoredName is the name that a property has in storage. The runtime has the same rule for the
// members that no schema names; see its key.go.
func StoredName(property string) string {
	if bagLike.MatchString(property) {
		return "$" + property
	}
	return property
}

// marked is what a key of a property bag ends in that is more than a property's name: an @ and a
// version.
var marked = regexp.MustCompile(`@v[0-9][^@]*$`)

// ownLike are the names that could be taken for keys that are no properties' names.
var ownLike = regexp.MustCompile(`^\$+(additional|covered|foreign|named)Properties$`)

// MemberKey is the plain key of a property, as the runtime makes it of a member's name. That of
// [AdditionalName] is [AdditionalKey].
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
