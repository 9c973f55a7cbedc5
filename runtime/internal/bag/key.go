package bag

import (
	"bytes"
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// QuotedName is [Name] as JSON writes it.
var QuotedName = []byte(`"` + Name + `"`)

// MayHaveBags reports whether JSON may have a property bag. It searches for the name without its
// first quote, because quotes are too frequent for a fast search.
func MayHaveBags(data []byte) bool {
	rest := QuotedName[1:]
	for i := bytes.Index(data, rest); i >= 0; i = bytes.Index(data, rest) {
		if i > 0 && data[i-1] == '"' {
			return true
		}
		data = data[i+len(rest):]
	}
	return false
}

const (
	// CoveredKey is the key of the values from which an open object's additional members were
	// made, if they do not follow from the members.
	CoveredKey = "$coveredProperties"
	// ForeignKey is the key of additional members whose names are those of other properties
	// elsewhere.
	ForeignKey = "$foreignProperties"
	// NamedKey is the key of additional members that are objects, and that no version can
	// represent under their names.
	NamedKey = "$namedProperties"
	// DamagedSuffix ends the key of a damaged entry while another entry has its key.
	DamagedSuffix = "@v0!damaged"
)

// HasNameLike reports whether the current value has a member, at any depth, whose name is like
// that of a property bag; see IsLike. It steps over the value unless it finds such a member.
func HasNameLike(c *jsontext.Cursor) bool {
	switch c.Peek() {
	case '{':
		for c.Take('{'); c.More('}'); {
			if IsLike(c.Name(), Name) || HasNameLike(c) {
				return true
			}
		}
	case '[':
		for c.Take('['); c.More(']'); {
			if HasNameLike(c) {
				return true
			}
		}
	default:
		c.Raw()
	}
	return false
}

// Name is the JSON name of property bags.
const Name = "$propertyBag"

// AdditionalKey is the key of the additional members of open objects.
const AdditionalKey = "$additionalProperties"

// ownKeys are the keys that are not made from members' names.
var ownKeys = [...]string{AdditionalKey, CoveredKey, ForeignKey, NamedKey}

// IsOwnKey reports whether a key is not made from a member's name.
func IsOwnKey(key string) bool { return slices.Contains(ownKeys[:], key) }

// isLikeOwnKey reports whether a name is an own key with any number of $ before it.
func isLikeOwnKey(name string) bool {
	return strings.HasPrefix(name, "$") && slices.ContainsFunc(ownKeys[:], func(own string) bool { return IsLike(name, own) })
}

const (
	// RawSuffix ends the keys of values of the wrong type.
	RawSuffix = "!raw"
	// ElementsSuffix ends the keys of elements of the wrong type.
	ElementsSuffix = "!elements" + RawSuffix
	// UnrepresentableSuffix ends the keys of values that an API type cannot represent. It ends with
	// RawSuffix, so that plans leave objects with such keys to Go types.
	UnrepresentableSuffix = "!held" + RawSuffix
	// RecordPrefix begins the key under which a bag records the values that a hand-written step has
	// set. It is never stored: the step in the other direction removes it.
	RecordPrefix = "$shown@"
)

// StoredName returns the name that a member of the API has in storage.
func StoredName(name string) string {
	if IsLike(name, Name) {
		return "$" + name
	}
	return name
}

// APIName is [StoredName] in the other direction.
func APIName(stored string) string {
	if IsLike(stored, Name) && stored != Name {
		return stored[1:]
	}
	return stored
}

// IsLike reports whether a name consists of any number of $ and own, which is one of Strata's
// names.
func IsLike[T ~string | ~[]byte](name T, own string) bool {
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

// MemberKey returns the key of a member, by its name in storage.
func MemberKey(name string) string {
	if isLikeOwnKey(name) {
		return "$" + name
	}
	if rest := strings.TrimRight(name, "@"); rest == "" || IsMarked(rest) {
		return name + "@"
	}
	return name
}

// KeyMember returns the member whose value a key without a mark has. It returns false for marked
// keys and own keys.
func KeyMember(key string) (name string, ok bool) {
	switch {
	case key == "" || IsOwnKey(key) || IsMarked(key):
		return "", false
	case isLikeOwnKey(key):
		return key[1:], true
	}
	return unmarked(key), true
}

// unmarked removes the @ that MemberKey adds to a name that would read as a marked key.
func unmarked(key string) string {
	if rest := strings.TrimRight(key, "@"); len(rest) < len(key) && (rest == "" || IsMarked(rest)) {
		return key[:len(key)-1]
	}
	return key
}

// IsMarked reports whether the last @ of a key is followed by a version.
func IsMarked(key string) bool {
	at := strings.LastIndexByte(key, '@')
	return at >= 0 && len(key) > at+2 && key[at+1] == 'v' && '0' <= key[at+2] && key[at+2] <= '9'
}

// RawKey returns the key of a member's value that is of the wrong type in a version.
func RawKey(name, version string) string { return MemberKey(name) + "@" + version + RawSuffix }

// WholeKey returns the key of a value that a version has in place of an object, in the bag of
// that object.
func WholeKey(version string) string { return "@" + version + RawSuffix }

// ElementsKey returns the key of the elements of a list, or the values of a map, that should be
// objects and are not.
func ElementsKey(name, version string) string {
	return MemberKey(name) + "@" + version + ElementsSuffix
}

// UnrepresentableKey returns the key of a member's value that the Go type of a version cannot
// represent.
func UnrepresentableKey(name, version string) string {
	return MemberKey(name) + "@" + version + UnrepresentableSuffix
}

// MisfitKey is the key of a misfit.
type MisfitKey struct {
	// Name is the name of a member in storage.
	Name string
	// Elements means that the value has elements of that member. Whole means that it is in place
	// of the object itself, which has no name.
	Elements, Whole bool
}

// ReadMisfit reads a key made by RawKey, ElementsKey or WholeKey for a version.
func ReadMisfit(key, version string) (k MisfitKey, ok bool) {
	part, ok := strings.CutSuffix(key, "@"+version+RawSuffix)
	if !ok {
		part, k.Elements = strings.CutSuffix(key, "@"+version+ElementsSuffix)
		ok = k.Elements
	}
	switch {
	case !ok:
		return MisfitKey{}, false
	case part == "":
		return MisfitKey{Whole: true}, !k.Elements
	}
	k.Name, ok = KeyMember(part)
	return k, ok
}

// ReadUnrepresentable reads a key made by UnrepresentableKey for any version.
func ReadUnrepresentable(key string) (name string, ok bool) {
	part, ok := strings.CutSuffix(key, UnrepresentableSuffix)
	if !ok || !IsMarked(part) {
		return "", false
	}
	return KeyMember(part[:strings.LastIndexByte(part, '@')])
}
