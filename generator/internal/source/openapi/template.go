package openapi

import (
	"regexp"
	"slices"
	"strings"
)

// template is the parsed path of an item.
type template struct {
	provider string   // empty if the path has none
	types    []string // the kinds of nested resources; one may be a parameter in braces
	name     string   // the last segment: a parameter in braces, or a constant
	version  string   // of the API, if the path has it
	scope    string   // where ARM resources can be created
	vague    bool     // there are unexpected parameters, so that types is incomplete
}

func isParameter(segment string) bool {
	return strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") && strings.Count(segment, "{") == 1
}

// bare returns a parameter's name.
func bare(segment string) string { return strings.Trim(segment, "{}") }

func segments(path string) []string {
	path, _, _ = strings.Cut(path, "?")
	return strings.Split(strings.Trim(path, "/"), "/")
}

// ofARM parses the path of an ARM resource: .../providers/<namespace>/<type>/{name}, with any
// number of types and names. found reports whether it names a provider at all.
func ofARM(path string) (t template, item, found bool) {
	all := segments(path)
	last := -1
	for i, s := range all {
		if strings.EqualFold(s, "providers") && i+1 < len(all) {
			last = i
		}
	}
	if last < 0 || isParameter(all[last+1]) {
		return t, false, false
	}
	t.provider, t.scope = all[last+1], scopeOf(all[:last])
	rest := all[last+2:]
	if len(rest) == 0 || len(rest)%2 != 0 {
		return t, false, true
	}
	for i := 0; i < len(rest); i += 2 {
		t.types = append(t.types, rest[i])
	}
	t.name = rest[len(rest)-1]
	return t, true, true
}

// scopes are the forms of paths before the last provider, from the widest to the narrowest.
var scopes = []struct {
	name string
	form *regexp.Regexp
}{
	{"tenant", regexp.MustCompile(`^$`)},
	{"managementGroup", regexp.MustCompile(`(?i)^providers/microsoft\.management/managementgroups/\{[^/]*\}$`)},
	{"subscription", regexp.MustCompile(`(?i)^subscriptions/\{[^/]*\}$`)},
	{"resourceGroup", regexp.MustCompile(`(?i)^subscriptions/\{[^/]*\}/resourcegroups/\{[^/]*\}$`)},
}

const extension = "extension"

// scopeOf returns the scope of a resource from the path before its provider.
func scopeOf(before []string) string {
	path := strings.Join(before, "/")
	for _, s := range scopes {
		if s.form.MatchString(path) {
			return s.name
		}
	}
	return extension
}

// widest orders scopes by width.
func widest(a, b string) int {
	location := func(scope string) int {
		for i, s := range scopes {
			if s.name == scope {
				return i
			}
		}
		return len(scopes)
	}
	return location(a) - location(b)
}

var versionSegment = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// ofItem parses the path of an item: pairs of a collection and a parameter, after any constant
// segments, one of which may be a version. It returns false for other paths.
func ofItem(path string) (template, bool) {
	all := segments(path)
	end := len(all)
	t := template{name: all[end-1]}
	for end >= 2 && isParameter(all[end-1]) && isCollection(all[end-2]) {
		t.types = append(t.types, all[end-2])
		end -= 2
	}
	slices.Reverse(t.types)
	for _, s := range all[:end] {
		if versionSegment.MatchString(s) {
			t.version = s
		}
		t.vague = t.vague || strings.ContainsAny(s, "{}")
	}
	return t, len(t.types) > 0
}

func isCollection(segment string) bool {
	return !strings.ContainsAny(segment, "{}") && segment != "" && !versionSegment.MatchString(segment)
}
