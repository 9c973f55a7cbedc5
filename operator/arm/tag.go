package arm

import (
	"strings"
	"time"
)

// longestTag is the maximum length of an entity tag in bytes. Those of services are much shorter.
const longestTag = 1024

// entityTag returns an entity tag if a header may contain it, or else an empty text. Many
// services omit the quotes. A star would match any resource, and a list more than one.
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

// timesOfCreation lists the formats in which services write systemData.createdAt. A time without
// a zone is UTC.
var timesOfCreation = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"}

// createdAt returns a time of creation in one format for all spellings. It returns an empty text
// if the time is invalid or the zero time, which services write if they know none. Then the
// entity tag distinguishes resources.
func createdAt(text string) string {
	for _, form := range timesOfCreation {
		at, err := time.Parse(form, strings.TrimSpace(text))
		if err == nil && at.UTC().Year() > 1 {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return ""
}

// coarsest is the smallest difference that two times of creation must have to count as different.
// Databases round times, for instance to 1/300 s.
const coarsest = 10 * time.Millisecond

// sameUID returns the known UID of a resource if the observed one is the same time of creation in
// another precision. Answers to GET can lack fractions of a second that the answer to the PUT
// has, or have rounded ones. Otherwise it returns the observed UID.
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

// precision returns the unit of the last digit of a time that is not zero. It is a second for a
// time without a fraction.
func precision(at time.Time) time.Duration {
	unit := time.Nanosecond
	for ns := at.Nanosecond(); unit < time.Second && ns%10 == 0; ns /= 10 {
		unit *= 10
	}
	return unit
}
