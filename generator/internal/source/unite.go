package source

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Declared is a resource version that was understood. Type has the spelling of the declaration.
type Declared struct {
	Type    string
	Version *model.Version
}

// Unite groups versions into resources, and preserves their order. Types that differ only in case
// are one resource, with the spelling of the first.
func Unite(all []Declared) []*model.Resource {
	var out []*model.Resource
	byType := map[string]*model.Resource{}
	for _, d := range all {
		key := strings.ToLower(d.Type)
		if byType[key] == nil {
			byType[key] = &model.Resource{Type: d.Type}
			out = append(out, byType[key])
		}
		byType[key].Versions = append(byType[key].Versions, d.Version)
	}
	slices.SortFunc(out, model.ByType)
	return out
}
