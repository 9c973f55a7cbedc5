package refine

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// nameKinds gives every resource that has no kind yet a kind and a plural that
// no other resource of its provider has. Resources that come with a kind, from
// the ledger, keep it; others are named in order.
func nameKinds(resources []*model.Resource) {
	taken := map[string]bool{}
	for _, r := range resources {
		if r.Kind != "" {
			provider, _ := Segments(r.Type)
			taken[scoped(provider, r.Kind)], taken[scoped(provider, r.Plural)] = true, true
		}
	}
	for _, r := range resources {
		if r.Kind == "" {
			nameKind(r, taken)
		}
	}
}

func nameKind(r *model.Resource, taken map[string]bool) {
	provider, segments := Segments(r.Type)
	kind, plural := kindOf(segments), pluralOf(segments)
	for n := 2; taken[scoped(provider, kind)] || taken[scoped(provider, plural)]; n++ {
		kind, plural = kindOf(segments)+strconv.Itoa(n), pluralOf(segments)+strconv.Itoa(n)
	}
	taken[scoped(provider, kind)], taken[scoped(provider, plural)] = true, true
	r.Kind, r.Plural = kind, plural
}

func scoped(provider, name string) string {
	return strings.ToLower(provider + "/" + name)
}
