package reconciler

import (
	"cmp"
	"regexp"
	"strings"
)

var (
	// inBag matches the property bags of storage in the path of a value that the stored version
	// does not have.
	inBag = regexp.MustCompile(`(^|\.)\$(?:propertyBag|additionalProperties|coveredProperties|foreignProperties)(\.|$)`)
	// ofVersion matches the end of the key of such a value: the version that first had it, and
	// its kind.
	ofVersion = regexp.MustCompile(`@(v[0-9][a-z0-9]*)(?:\.[0-9]+)?(?:!elements|!held)?(?:!raw)?(\.|$)`)
)

// places returns paths of a stored spec as users know them, each once. It removes the property
// bags. If the name of a property now belongs to another one, it appends the version that first
// had the property.
func places(stored []string) []string {
	var out []string
	seen := map[string]bool{} // a user can make as many places as elements
	for _, place := range stored {
		for inBag.MatchString(place) {
			place = inBag.ReplaceAllString(place, "$1")
		}
		place = cmp.Or(strings.TrimSuffix(place, "."), "spec")
		if of := ofVersion.FindStringSubmatch(place); of != nil {
			place = ofVersion.ReplaceAllString(place, "$2") + " of " + of[1]
		}
		if !seen[place] {
			seen[place] = true
			out = append(out, place)
		}
	}
	return out
}
