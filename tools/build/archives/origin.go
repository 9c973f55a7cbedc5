package archives

import (
	"runtime"
	"strings"
)

// The types of a statement of in-toto with the provenance of SLSA.
type (
	statement struct {
		Type          string    `json:"_type"`
		Subject       []subject `json:"subject"`
		PredicateType string    `json:"predicateType"`
		Predicate     predicate `json:"predicate"`
	}
	subject struct {
		Name   string            `json:"name"`
		Digest map[string]string `json:"digest"`
	}
	predicate struct {
		BuildDefinition struct {
			BuildType            string            `json:"buildType"`
			ExternalParameters   map[string]any    `json:"externalParameters"`
			InternalParameters   map[string]string `json:"internalParameters"`
			ResolvedDependencies []dependency      `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
		RunDetails struct {
			Builder struct {
				ID string `json:"id"`
			} `json:"builder"`
		} `json:"runDetails"`
	}
	dependency struct {
		URI    string            `json:"uri"`
		Digest map[string]string `json:"digest,omitempty"`
	}
)

// Types of statements.
const (
	statementType  = "https://in-toto.io/Statement/v1"
	provenanceType = "https://slsa.dev/provenance/v1"
)

// LocalBuilder identifies a build on a machine of an author.
const LocalBuilder = "https://github.com/stratakube/strata/builders/local"

// origin returns the statement of how the archives were built, and of what.
func (o Options) origin(archives []artifact) ([]byte, error) {
	s := statement{Type: statementType, PredicateType: provenanceType}
	var platforms []string
	for _, a := range archives {
		s.Subject = append(s.Subject, subject{a.name, map[string]string{"sha256": a.sum}})
		platforms = append(platforms, a.platform.String())
	}
	d := &s.Predicate.BuildDefinition
	d.BuildType = "https://" + o.Module + "/release-archives/v1"
	d.ExternalParameters = map[string]any{"version": o.Version, "platforms": platforms}
	d.InternalParameters = map[string]string{"go": strings.TrimPrefix(runtime.Version(), "go")}
	d.ResolvedDependencies = []dependency{
		{"git+https://" + o.Module + "@" + o.Version, map[string]string{"gitCommit": o.Commit}},
		{URI: "pkg:golang/stdlib@" + strings.TrimPrefix(runtime.Version(), "go")},
	}
	s.Predicate.RunDetails.Builder.ID = o.Builder
	return encoded(s)
}
