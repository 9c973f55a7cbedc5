package engine

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// spellings maps a resource and version in lower case to the first spelling of the version.
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

// of returns the first spelling of a version.
func (s spellings) of(resource, version string) string {
	key := strings.ToLower(resource + " " + version)
	if first, ok := s[key]; ok {
		return first
	}
	s[key] = version
	return version
}
