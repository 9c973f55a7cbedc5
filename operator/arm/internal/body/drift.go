package body

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/stratakube/strata/operator/plugin/fieldpath"
)

// maxDrift is the maximum number of reported paths.
const maxDrift = 100

// Drift returns the paths of members that a user wrote and that differ in Azure, sorted. Members
// that the user did not write belong to the service. The following differences do not count,
// because services return values in these forms:
//
//   - null, false, 0, "", [] or {} that the user wrote, and no member in Azure;
//   - names of locations, as "West US" and westus, in members called location, locationName,
//     locations or region;
//   - identifiers of resources, and single words, that differ in case, but for tags: services write
//     the values of their enumerations as they like;
//   - numbers, and moments in time, that are written differently;
//   - arrays of the same scalars in another order, and arrays of objects in another order that have
//     a name or an id each.
//
// A member that the user wrote and that Azure lacks is drift, unless its name indicates a secret:
// services do not return secrets.
func Drift(wanted, external map[string]any) []string {
	d := &drift{}
	d.object(nil, wanted, external)
	slices.Sort(d.paths)
	return d.paths
}

type drift struct{ paths []string }

func (d *drift) tell(at fieldpath.Path) {
	if len(d.paths) < maxDrift {
		d.paths = append(d.paths, at.String())
	}
}

func below(at fieldpath.Path, step fieldpath.Step) fieldpath.Path {
	return append(slices.Clip(at), step)
}

func (d *drift) object(at fieldpath.Path, wanted, external map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(wanted)) { // so that the same paths are reported if there are too many
		path, value := below(at, fieldpath.Step{Name: name}), wanted[name]
		got, ok := external[name]
		switch {
		case IsEntityTag(name, value) && !isTags(at):
		case ok && got != nil:
			d.value(path, value, got)
		case !isNothing(value) && !isSecret(name):
			d.tell(path)
		}
	}
}

func (d *drift) value(at fieldpath.Path, wanted, external any) {
	switch wanted := wanted.(type) {
	case nil:
		if !isNothing(external) {
			d.tell(at)
		}
	case map[string]any:
		if external, ok := external.(map[string]any); ok {
			d.object(at, wanted, external)
			return
		}
		d.tell(at)
	case []any:
		if external, ok := external.([]any); ok {
			d.array(at, wanted, external)
			return
		}
		d.tell(at)
	default:
		if !sameScalar(at, wanted, external) {
			d.tell(at)
		}
	}
}

func (d *drift) array(at fieldpath.Path, wanted, external []any) {
	if len(wanted) != len(external) {
		d.tell(at)
		return
	}
	partner := partners(at, wanted, external)
	if partner == nil {
		d.tell(at)
		return
	}
	for i, value := range wanted {
		d.value(below(at, fieldpath.Step{Index: i}), value, external[partner[i]])
	}
}

// partners returns for each wanted element the index of the element in Azure with which it is
// compared. It returns nil if the scalars differ.
func partners(at fieldpath.Path, wanted, external []any) []int {
	partner := make([]int, len(wanted))
	for i := range partner {
		partner[i] = i
	}
	if len(wanted) == 0 {
		return partner
	}
	for _, key := range []string{"name", "id"} {
		if found := byKey(key, wanted, external); found != nil {
			return found
		}
	}
	if slices.ContainsFunc(wanted, isComposite) || slices.ContainsFunc(external, isComposite) || areInOrder(at, wanted, external) {
		return partner
	}
	used := make([]bool, len(external))
	for i, value := range wanted {
		partner[i] = slices.IndexFunc(external, func(other any) bool { return sameScalar(at, value, other) })
		for j, other := range external {
			if !used[j] && sameScalar(at, value, other) {
				partner[i] = j
				break
			}
		}
		if partner[i] < 0 || used[partner[i]] {
			return nil
		}
		used[partner[i]] = true
	}
	return partner
}

// areInOrder reports whether scalars are equal one by one, as is usual.
func areInOrder(at fieldpath.Path, wanted, external []any) bool {
	for i, value := range wanted {
		if !sameScalar(at, value, external[i]) {
			return false
		}
	}
	return true
}

// byKey pairs objects by the string value of a member. It returns nil if an object lacks the
// member, or if two have the same value.
func byKey(key string, wanted, external []any) []int {
	index := map[string]int{}
	for i, value := range external {
		name := strings.ToLower(stringOf(value, key))
		if _, twice := index[name]; twice || name == "" {
			return nil
		}
		index[name] = i
	}
	partner, seen := make([]int, len(wanted)), map[int]bool{}
	for i, value := range wanted {
		j, ok := index[strings.ToLower(stringOf(value, key))]
		if !ok || seen[j] {
			return nil
		}
		partner[i], seen[j] = j, true
	}
	return partner
}

func stringOf(value any, key string) string {
	object, _ := value.(map[string]any)
	text, _ := object[key].(string)
	return text
}

func isComposite(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func isNothing(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case bool:
		return !value
	case string:
		return value == ""
	case json.Number:
		number, ok := rational(value)
		return ok && number.Sign() == 0
	case []any:
		return len(value) == 0
	case map[string]any:
		for _, inside := range value {
			if !isNothing(inside) {
				return false
			}
		}
		return true
	}
	return false
}

// secretWords are parts of names, in lower case.
var secretWords = []string{"password", "secret", "accesskey", "accountkey", "sharedkey", "privatekey", "connectionstring", "passphrase", "token"}

func isSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// IsEntityTag reports whether a member is the entity tag of a resource, or of a part of one, which
// schemas rarely mark as read-only. Each change in Azure makes another one.
func IsEntityTag(name string, value any) bool {
	_, isText := value.(string)
	return isText && strings.EqualFold(name, "etag")
}

// isTags reports whether a path leads to the tags of a resource, whose names users choose.
func isTags(at fieldpath.Path) bool { return len(at) > 0 && at[0].Name == "tags" }

func sameScalar(at fieldpath.Path, wanted, external any) bool {
	switch wanted := wanted.(type) {
	case string:
		text, ok := external.(string)
		return ok && (wanted == text || sameText(at, wanted, text))
	case json.Number:
		number, ok := external.(json.Number)
		return ok && sameNumber(wanted, number)
	case bool, nil:
		return wanted == external
	}
	return false
}

func sameText(at fieldpath.Path, a, b string) bool {
	switch {
	case isLocation(at):
		return location(a) == location(b)
	case isWord(a) && !isTags(at):
		return strings.EqualFold(a, b)
	case isIdentifier(a) && isIdentifier(b):
		return strings.EqualFold(strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/"))
	}
	first, err := time.Parse(time.RFC3339Nano, a)
	if err != nil {
		return false
	}
	second, err := time.Parse(time.RFC3339Nano, b)
	return err == nil && first.Equal(second)
}

// isWord reports whether a text may be a value of an enumeration, as Standard_LRS.
func isWord(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return len(text) <= 64
}

func isLocation(at fieldpath.Path) bool {
	name := ""
	for _, step := range at {
		if step.Name != "" {
			name = step.Name
		}
	}
	return slices.Contains([]string{"location", "locationName", "locations", "region"}, name)
}

func location(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "")) }

func isIdentifier(text string) bool {
	text = strings.ToLower(text)
	return strings.HasPrefix(text, "/subscriptions/") || strings.HasPrefix(text, "/providers/")
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	first, ok := rational(a)
	if !ok {
		return false
	}
	second, ok := rational(b)
	return ok && first.Cmp(second) == 0
}

// rational returns the value of a number; false if its exponent or its text is too long.
func rational(n json.Number) (*big.Rat, bool) {
	if _, exponent, ok := strings.Cut(strings.ToLower(string(n)), "e"); ok && len(strings.Trim(exponent, "+-")) > 3 || len(n) > 400 {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}
