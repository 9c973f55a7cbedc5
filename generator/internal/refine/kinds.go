package refine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// named returns, for each raw resource, a resource without versions that has a kind and a plural.
// Known resources, from the ledger, keep theirs, and native ones have those of their source.
// Others are named in the order of their types, without clashes within a provider. choose is
// called with the default kind of a resource, and returns the kind that the user has chosen, or
// an empty string. It may be nil.
func named(raw, known []*model.Resource, choose func(resourceType, kind string) string) []*model.Resource {
	names := kindNames{}
	byType := map[string]*model.Resource{}
	for _, k := range known {
		byType[strings.ToLower(k.Type)] = k
		names.take(provider(k.Type), k.Kind, k.Plural)
	}
	out := make([]*model.Resource, len(raw))
	var fresh []*model.Resource
	for i, r := range raw {
		out[i] = r.Head()
		if k := byType[strings.ToLower(r.Type)]; k != nil {
			out[i].Type, out[i].Kind, out[i].Plural = k.Type, k.Kind, k.Plural
		} else if r.Kind != "" {
			names.take(provider(r.Type), r.Kind, r.Plural)
		} else {
			fresh = append(fresh, out[i])
		}
	}
	slices.SortStableFunc(fresh, model.ByType)
	words := vocabularies(raw, fresh)
	fresh = slices.DeleteFunc(fresh, func(r *model.Resource) bool {
		return choose != nil && names.choose(r, choose(r.Type, kindOf(words[strings.ToLower(provider(r.Type))].spell(r.Type))))
	})
	for _, r := range fresh {
		names.name(r, words[strings.ToLower(provider(r.Type))].spell(r.Type))
	}
	return out
}

// kindNames are the names in use, by provider, in lower case.
type kindNames map[string]bool

// choose gives a resource the kind that the user has chosen. It reports false, and changes
// nothing, if that is empty or in use.
func (k kindNames) choose(r *model.Resource, kind string) bool {
	if plural := strings.ToLower(plural(kind)); kind != "" && !k.taken(provider(r.Type), kind, plural) {
		r.Kind, r.Plural = kind, plural
		k.take(provider(r.Type), r.Kind, r.Plural)
		return true
	}
	return false
}

// name gives a resource a kind and a plural, with a number appended if they are in use. spelled
// is the resource type with a capital at the beginning of each word.
func (k kindNames) name(r *model.Resource, spelled string) {
	p, kind, plural := provider(r.Type), kindOf(spelled), pluralOf(spelled)
	r.Kind, r.Plural = kind, plural
	for n := 2; k.taken(p, r.Kind, r.Plural); n++ {
		r.Kind, r.Plural = kind+strconv.Itoa(n), plural+strconv.Itoa(n)
	}
	k.take(p, r.Kind, r.Plural)
}

// allNames returns the names that a kind reserves: its kind, its plural, and those of its Go
// types.
func allNames(provider, kind, plural string) []string {
	var out []string
	for _, name := range []string{plural, kind, kind + "List", kind + "Spec", kind + "Status"} {
		out = append(out, strings.ToLower(provider+"/"+name))
	}
	return out
}

func (k kindNames) taken(provider, kind, plural string) bool {
	return slices.ContainsFunc(allNames(provider, kind, plural), func(name string) bool { return k[name] })
}

func (k kindNames) take(provider, kind, plural string) {
	for _, name := range allNames(provider, kind, plural) {
		k[name] = true
	}
}

func provider(resourceType string) string {
	p, _, _ := strings.Cut(resourceType, "/")
	return p
}
