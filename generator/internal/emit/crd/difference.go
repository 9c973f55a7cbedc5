package crd

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// change is the kind of a difference.
type change uint8

const (
	added change = 1 << iota
	removed
	altered
	guarded  // a rule
	whatever = added | removed | altered
)

// difference is a path at which a generated CRD differs from the source's. Versions, and other
// elements with names, are compared by their names.
type difference struct {
	path   string
	change change
}

// reasons are the reasons for differences between a generated CRD and its source. The first that
// matches is reported. A difference without a reason is a bug in Strata.
var reasons = []struct {
	path    *regexp.Regexp
	changes change
	reason  string
}{
	{regexp.MustCompile(`^spec\.conversion$`), whatever, "objects are converted by the webhook"},
	{regexp.MustCompile(`^spec\.conversion\.`), whatever, "objects are converted by the webhook"},
	{regexp.MustCompile(`^metadata\.annotations(\.cert-manager\.io/inject-ca-from)?$`), added, "cert-manager writes the CA of the webhook"},
	{regexp.MustCompile(`^spec\.versions\.\w+storage$`), added, "the cluster stores the hub"},
	{regexp.MustCompile(`^spec\.versions\.\w+\.storage$`), altered, "the hub is stored in place of an API version"},
	{regexp.MustCompile(`^spec\.versions\.\w+\.served$`), altered, "the configuration sets what is served, and the hub's API version always is"},
	{regexp.MustCompile(`^spec\.versions\.\w+$`), added, "the ledger has the version, which no CRD of the source has any more"},
	{regexp.MustCompile(`^spec\.versions\.\w+$`), removed, "the version is left out, unserved or pruned"},
	{regexp.MustCompile(`^spec\.versions\.\w+\.subresources$`), removed, "an empty list of subresources means none"},
	{regexp.MustCompile(`^spec\.versions\.\w+\.subresources(\.status)?$`), added, "the configuration gives the kind a status subresource"},
	{regexp.MustCompile(`\.openAPIV3Schema\.x-kubernetes-validations(\.[^.].*)?$`), added, "clients that write a version must preserve the values that it cannot represent"},
	{regexp.MustCompile(`\.openAPIV3Schema\.properties\.status(\.properties|\.properties\.propertyBag)?$`), added, "other versions have a status, or it stores the values that the version cannot represent"},
	{regexp.MustCompile(`\.openAPIV3Schema\.properties\.spec$`), added, "other versions have a spec"},
	{regexp.MustCompile(`\.openAPIV3Schema\.properties\.status\.required(\..+)?$`), whatever, bagAlone},
	{regexp.MustCompile(`\.openAPIV3Schema\.properties\.status\.x-kubernetes-validations(\..+)?$`), added, bagAlone},
	{regexp.MustCompile(`\.required(\..+)?$`), whatever, ratchets},
	{regexp.MustCompile(`\.x-kubernetes-validations(\..+)?$`), added, ratchets},
	{regexp.MustCompile(`\.x-kubernetes-validations\..+$`), guarded, guards},
	{regexp.MustCompile(`\.openAPIV3Schema\..*properties\.[^.]+$`), added, "the ledger has the member, which the CRD of the source has no more"},
	{regexp.MustCompile(`\.description$`), removed | altered, "descriptions are cut where the CRD would be too large"},
}

// Reasons for rules that differ, or are new.
const (
	guards   = "objects that other versions wrote lack a member that the rule reads: a guard lets them be changed"
	bagAlone = "a status may consist of values that the version cannot represent only: required members are a rule"
	ratchets = "beside members that the schema does not know, what is required is a rule, which lets old objects be changed"
)

// unknown is the text for a difference without a reason.
const unknown = "no reason is known: this is a fault of Strata"

// several is the reason of differences in versions that several files define.
const several = "several files define the version, in different ways: it has the properties of all"

// reason returns the reason for a difference. united are the versions that several CRDs define.
func (d difference) reason(united map[string]bool) string {
	if rest, ok := strings.CutPrefix(d.path, "spec.versions."); ok {
		if name, _, within := strings.Cut(rest, "."); within && united[name] {
			return several
		}
	}
	for _, r := range reasons {
		if r.changes&d.change != 0 && r.path.MatchString(d.path) {
			return r.reason
		}
	}
	return unknown
}

// differences lists the paths at which two JSON values differ, in order.
func differences(path string, was, is any) []difference {
	switch w := was.(type) {
	case map[string]any:
		if i, ok := is.(map[string]any); ok {
			return memberwise(path, w, i)
		}
	case []any:
		if i, ok := is.([]any); ok {
			return memberwise(path, elements(w), elements(i))
		}
	}
	if reflect.DeepEqual(was, is) {
		return nil
	}
	return []difference{{path, altered}}
}

func memberwise(path string, was, is map[string]any) []difference {
	var out []difference
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at := strings.TrimPrefix(path+"."+name, ".")
		w, had := was[name]
		i, has := is[name]
		switch {
		case !had:
			out = append(out, difference{at, added})
		case !has:
			out = append(out, difference{at, removed})
		default:
			out = append(out, differences(at, w, i)...)
		}
	}
	return out
}

// pairGuards replaces a removed rule, and an added one that is the same rule with a guard, by one
// difference.
func pairGuards(all []difference) []difference {
	by := map[string]int{}
	for i, d := range all {
		if at, rule, ok := strings.Cut(d.path, rulesOf); ok && d.change == removed {
			by[at+rulesOf+rule] = i
		}
	}
	out := slices.Clone(all)
	for i, d := range all {
		at, rule, ok := strings.Cut(d.path, rulesOf)
		if !ok || d.change != added {
			continue
		}
		for _, source, more := strings.Cut(rule, guardsEnd); more; _, source, more = strings.Cut(source, guardsEnd) {
			if gone, found := by[at+rulesOf+strings.TrimSuffix(strings.TrimSuffix(source, ")"), "\n")]; found {
				out[gone].change, out[i].change = guarded, 0
			}
		}
	}
	return slices.DeleteFunc(out, func(d difference) bool { return d.change == 0 })
}

// guardsEnd separates guards, some of which contain it, from the rule that they guard.
const guardsEnd = " || ("

// rulesOf is what precedes a rule in a path.
const rulesOf = ".x-kubernetes-validations."

// elements indexes the elements of a list: by names or rules if all have one, by their values if
// all are strings, else by position.
func elements(list []any) map[string]any {
	by, at := map[string]any{}, map[string]any{}
	for i, e := range list {
		at[strconv.Itoa(i)] = e
		if name := nameOf(e); name != "" {
			by[name] = e
		}
	}
	if len(by) == len(list) {
		return by
	}
	return at
}

func nameOf(element any) string {
	switch e := element.(type) {
	case string:
		return e
	case map[string]any:
		for _, key := range []string{"name", "rule"} {
			if name, ok := e[key].(string); ok {
				return name
			}
		}
	}
	return ""
}

// short shortens a path to one line, since paths with rules are long.
func short(path string) string {
	const most = 120
	if len(path) <= most {
		return path
	}
	cut := strings.ToValidUTF8(path[:most], "")
	return cut + "…"
}
