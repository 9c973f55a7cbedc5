package config

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/diag"
)

// IsZero reports whether there are no limits.
func (o Only) IsZero() bool { return len(o.Resources) == 0 && len(o.Versions) == 0 }

// Allows reports whether a resource type in a version is within the limits.
func (o Only) Allows(resource, version string) bool {
	return o.AllowsType(resource) && o.allowsVersion(version)
}

// AllowsType reports whether a resource type is within the limits in any version
// at all.
func (o Only) AllowsType(resource string) bool {
	resource = strings.ToLower(resource)
	return len(o.Resources) == 0 || slices.ContainsFunc(o.Resources, func(glob string) bool {
		return doublestar.MatchUnvalidated(strings.ToLower(glob), resource)
	})
}

func (o Only) allowsVersion(version string) bool {
	return len(o.Versions) == 0 || slices.ContainsFunc(o.Versions, func(c Constraint) bool {
		return c.Allows(version)
	})
}

// ParseOnly parses the values of --only: globs for resource types, and version constraints, which
// start with one of < > = or a digit.
func ParseOnly(values []string) (Only, error) {
	var only Only
	for _, text := range values {
		if text != "" && strings.Contains("<>=0123456789", text[:1]) {
			constraint, err := ParseConstraint(text)
			if err != nil {
				return Only{}, diag.Errorf(diag.Pos{}, "--only: %v", err).WithHint("such as `--only '>=2019-08-01'`")
			}
			only.Versions = append(only.Versions, constraint)
			continue
		}
		if problem := globProblem(text); text == "" || problem != "" {
			return Only{}, diag.Errorf(diag.Pos{}, "--only: bad glob %q: %s", text, problem).
				WithHint("such as `--only 'Microsoft.Batch/**'`")
		}
		only.Resources = append(only.Resources, text)
	}
	return only, nil
}
