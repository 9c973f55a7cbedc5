package plan

import (
	"slices"
	"strings"
	"unicode"
)

// shorten gives kinds of several words their initials as a short name. The first kind in the
// order of Kinds gets a short name that several could have. A cluster does not establish a CRD
// whose short name another CRD of the group has.
func (g *grouper) shorten() {
	taken := map[string]bool{}
	for _, k := range g.group.Kinds {
		taken[strings.ToLower(k.Name)], taken[strings.ToLower(k.Name)+"list"], taken[k.Resource.Model.Plural] = true, true, true
	}
	for _, k := range g.group.Kinds {
		if s := initials(k.Name); len(s) > 1 && !taken[s] {
			k.Short, taken[s] = s, true
		}
	}
}

// initials returns the first letters of a name's words: bap for BatchAccountsPool.
func initials(name string) string {
	var out []rune
	runes := []rune(name)
	for i, r := range runes {
		starts := i == 0 || !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && starts {
			out = append(out, unicode.ToLower(r))
		}
	}
	return string(slices.DeleteFunc(out, func(r rune) bool { return r < 'a' || r > 'z' }))
}
