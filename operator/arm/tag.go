package arm

import (
	"strings"
	"time"
)

// longestTag is how long an entity tag may be, in bytes. Those of services are much shorter.
const longestTag = 1024

// entityTag returns an entity tag that a header may carry; empty for what is none, which then is
// not known. Many services leave out the quotes. A star would match any resource, and a list more
// than one.
func entityTag(text string) string {
	text = strings.TrimSpace(text)
	opaque, isQuoted := strings.CutPrefix(strings.TrimPrefix(text, "W/"), `"`)
	if isQuoted {
		var ends bool
		if opaque, ends = strings.CutSuffix(opaque, `"`); !ends {
			return ""
		}
	} else if opaque == "*" || strings.Contains(opaque, ",") {
		return ""
	}
	isOdd := func(r rune) bool { return r < '!' || r > '~' || r == '"' }
	if opaque == "" || len(text) > longestTag || strings.ContainsFunc(opaque, isOdd) {
		return ""
	}
	return text
}

// timesOfCreation are the forms in which services write systemData.createdAt. Without a zone it is
// UTC.
var timesOfCreation = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"}

// createdAt returns a time of a creation in the one form in which all spellings of it agree; empty
// for what is no time, or for one that services write where they know none. Then the entity tag
// distinguishes resources.
func createdAt(text string) string {
	for _, form := range timesOfCreation {
		at, err := time.Parse(form, strings.TrimSpace(text))
		if err == nil && at.UTC().Year() > 1 {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return ""
}

// coarsest is how precise times of creation are at best. Databases round times, to 1/300 s for
// instance.
const coarsest = 10 * time.Millisecond

// sameUID returns the UID that is known of a resource, if the one that was observed is the same
// time of creation in another precision: answers to GET can lack the fractions of a second that the
// answer to the PUT has, or have rounded ones. Else it returns the observed UID.
func sameUID(known, observed string) string {
	was, err := time.Parse(time.RFC3339Nano, known)
	if err != nil {
		return observed
	}
	is, err := time.Parse(time.RFC3339Nano, observed)
	if err != nil || was.Sub(is).Abs() >= max(precision(was), precision(is), coarsest) {
		return observed
	}
	return known
}

// precision returns the unit of the last digit of a time that is not zero; a second for a time
// without a fraction.
func precision(at time.Time) time.Duration {
	unit := time.Nanosecond
	for ns := at.Nanosecond(); unit < time.Second && ns%10 == 0; ns /= 10 {
		unit *= 10
	}
	return unit
}
