package annotation

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Limits of shared scopes. Few are different: those of the credentials in use. But any client can
// write a claim, so that others stay garbage.
const (
	maxScopes     = 1000
	maxScopeNames = 16
	maxScopeBytes = 1 << 10
)

// scopes are the scopes that states share, by their text, so that equal maps take memory once.
var scopes struct {
	sync.Mutex
	known map[string]map[string]string
}

// sharedScope returns a scope that equals another one. Nobody may change it.
func sharedScope(of map[string]string) map[string]string {
	if len(of) == 0 || len(of) > maxScopeNames {
		return of
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if text.Len()+len(name)+len(of[name]) > maxScopeBytes {
			return of
		}
		text.WriteString(strconv.Quote(name))
		text.WriteString(strconv.Quote(of[name]))
	}
	scopes.Lock()
	defer scopes.Unlock()
	if known := scopes.known[text.String()]; known != nil {
		return known
	}
	if scopes.known == nil || len(scopes.known) >= maxScopes {
		scopes.known = map[string]map[string]string{}
	}
	scopes.known[text.String()] = of
	return of
}

// same returns a text, as the other one if they are equal: memory then has it once.
func same(text, other string) string {
	if text == other {
		return other
	}
	return text
}
