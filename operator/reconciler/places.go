package reconciler

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

var (
	// inBag are what storage has on the way to a value that the version stored has no property for.
	inBag = regexp.MustCompile(`(^|\.)\$(?:propertyBag|additionalProperties|coveredProperties|foreignProperties)(\.|$)`)
	// ofVersion ends the keys of such values: the version that they were first seen in, and what
	// they are.
	ofVersion = regexp.MustCompile(`@(v[0-9][a-z0-9]*)(?:\.[0-9]+)?(?:!elements|!held)?(?:!raw)?(\.|$)`)
)

// places spells places of a stored spec as users know them, each once: without the property bags of
// storage, and with the version that first had a property where another one has its name.
func places(stored []string) []string {
	var out []string
	for _, place := range stored {
		for inBag.MatchString(place) {
			place = inBag.ReplaceAllString(place, "$1")
		}
		place = cmp.Or(strings.TrimSuffix(place, "."), "spec")
		if of := ofVersion.FindStringSubmatch(place); of != nil {
			place = ofVersion.ReplaceAllString(place, "$2") + " of " + of[1]
		}
		if !slices.Contains(out, place) {
			out = append(out, place)
		}
	}
	return out
}
