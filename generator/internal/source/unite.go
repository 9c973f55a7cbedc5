package source

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Declared is a resource version that was understood. Type is spelled as it is there.
type Declared struct {
	Type    string
	Version *model.Version
}

// Unite makes resources of versions, which keep their order. A resource is found once,
// whatever the spelling of its type, and has the first.
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
