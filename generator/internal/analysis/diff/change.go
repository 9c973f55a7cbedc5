package diff

import (
	"fmt"

	"github.com/stratakube/strata/generator/internal/model"
)

// Kind says what happened.
type Kind uint8

// The kinds of changes. Those of versions and resources as a whole happen between
// two trees only.
const (
	Added Kind = iota
	Removed
	Renamed
	Retyped
	Required
	Optional
	Secret
	ValuesAdded
	ValuesRemoved
	VersionAdded
	VersionRemoved
	ResourceAdded
	ResourceRemoved
)

var kindNames = [...]string{
	"new", "removed", "renamed", "retyped", "required", "optional", "secret", "values-added", "values-removed",
	"version-new", "version-removed", "resource-new", "resource-removed",
}

func (k Kind) String() string { return kindNames[k] }

// MarshalText makes a kind a word in JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Severity says whom a change breaks: each severity holds those before it.
type Severity uint8

// The severities. Clients breaks who writes or reads the API as it was: between
// versions, those that move to the later one. StoredData gives stored objects
// another shape under the same version, which Strata refuses to generate.
const (
	None Severity = iota
	Clients
	StoredData
)

var severityNames = [...]string{"none", "clients", "stored-data"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText makes a severity a word in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSeverity reads what String writes.
func ParseSeverity(text string) (Severity, error) {
	for i, name := range severityNames {
		if name == text {
			return Severity(i), nil
		}
	}
	return None, fmt.Errorf("must be clients or stored-data")
}

// Change is one change.
type Change struct {
	Kind     Kind     `json:"change"`
	Severity Severity `json:"breaks"`
	// Path is where the property stands: in the later version, or in the earlier
	// one if it is gone. Of a type that stands in several places it is the
	// shortest, and of these the first. It is empty where a whole version or
	// resource is meant.
	Path string `json:"path,omitzero"`
	// Type is the definition that declares the property.
	Type string `json:"type,omitzero"`
	// Old and New are names, types or lists of values, as the kind has them.
	Old string `json:"old,omitzero"`
	New string `json:"new,omitzero"`
	// Required tells of a new property that it must be given.
	Required bool `json:"required,omitzero"`

	Pos model.Pos `json:"-"`
}

// Comparison is everything that changed of one resource between two versions.
type Comparison struct {
	Resource string `json:"resource"` // the vendor's type
	Kind     string `json:"kind"`
	// From and To are the vendor's version names; they are equal where one version
	// of two trees is compared. One is empty where a resource is new or gone.
	From    string   `json:"from,omitzero"`
	To      string   `json:"to,omitzero"`
	Changes []Change `json:"changes"`
}

// Worst is the greatest severity of several comparisons.
func Worst(all []Comparison) Severity {
	worst := None
	for _, c := range all {
		for _, one := range c.Changes {
			worst = max(worst, one.Severity)
		}
	}
	return worst
}

// Count counts the changes of several comparisons by severity.
func Count(all []Comparison) map[Severity]int {
	out := map[Severity]int{}
	for _, c := range all {
		for _, one := range c.Changes {
			out[one.Severity]++
		}
	}
	return out
}
