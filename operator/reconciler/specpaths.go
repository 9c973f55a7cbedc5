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

// specPaths returns paths of a stored spec as users know them, each once. It removes the property
// bags. If the name of a property now belongs to another one, it appends the version that first
// had the property.
func specPaths(stored []string) []string {
	var out []string
	seen := map[string]bool{} // a user can make as many positions as elements
	for _, path := range stored {
		for inBag.MatchString(path) {
			path = inBag.ReplaceAllString(path, "$1")
		}
		path = cmp.Or(strings.TrimSuffix(path, "."), "spec")
		if of := ofVersion.FindStringSubmatch(path); of != nil {
			path = ofVersion.ReplaceAllString(path, "$2") + " of " + of[1]
		}
		if !seen[path] {
			seen[path] = true
			out = append(out, path)
		}
	}
	return out
}
