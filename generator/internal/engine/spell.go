package engine

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// spellings know how the version of a resource was first spelled, by both in
// lower case.
type spellings map[string]string

func newSpellings(known []*model.Resource) spellings {
	s := spellings{}
	for _, r := range known {
		for _, v := range r.Versions {
			s.of(r.Type, v.Name)
		}
	}
	return s
}

// of gives the spelling of a version that was seen first.
func (s spellings) of(resource, version string) string {
	key := strings.ToLower(resource + " " + version)
	if first, ok := s[key]; ok {
		return first
	}
	s[key] = version
	return version
}
