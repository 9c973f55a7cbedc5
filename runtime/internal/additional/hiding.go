package additional

import (
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// Hiding returns the names, sorted, of the additional members whose covers store more than the
// members show. Entry is what a bag has under "$coveredProperties". If it has no covers, ok is
// false.
func Hiding(entry runtime.JSON) (names []string, ok bool) {
	if !jsontext.IsValid(entry) {
		return nil, false
	}
	count := 0
	ok = jsontext.EachMember(entry, func(name []byte, cover runtime.JSON) {
		if count++; hidesValues(cover) {
			names = append(names, string(name))
		}
	})
	slices.Sort(names)
	return slices.Compact(names), ok && count > 0
}

// hidesValues reports whether a cover stores other values than the one that its member shows. It
// ignores which members of the value are in property bags: a client sees them too, and so does the
// external API.
func hidesValues(cover runtime.JSON) bool {
	c := jsontext.Cursor{Data: cover}
	if c.Peek() != '{' {
		return true
	}
	key, visible := string(jsontext.Unquoted(jsontext.MemberOf(cover, "key"))), jsontext.OrNull(jsontext.MemberOf(cover, "shown"))
	count, same := 0, false
	isObject := jsontext.EachMember(jsontext.MemberOf(cover, "stored"), func(name []byte, value runtime.JSON) {
		if count++; count == 1 { // a forged cover may repeat a name
			same = string(name) == key && isVisibleAs(value, visible)
		}
	})
	return !isObject || count != 1 || !same
}

// isVisibleAs reports whether a client that sees visible sees all of a stored value. Visible has
// the names of the API if additional members are free JSON, and else those of storage.
func isVisibleAs(stored, visible runtime.JSON) bool {
	if jsontext.IsSame(stored, visible) {
		return true
	}
	seen, all := flatten(stored, notation.Item{})
	if !all || jsontext.IsSame(seen, visible) {
		return all
	}
	visible, all = flatten(visible, notation.Item{})
	return all && jsontext.IsSame(seen, visible)
}
