package diff

import (
	"encoding/json"

	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
)

// Kind is the kind of a change.
type Kind uint8

// The kinds of changes. Some of versions and resources occur only between two trees.
const (
	Added Kind = iota
	AddedRequired
	Removed
	Renamed
	Retyped
	Required
	Optional
	Secret
	NotSecret
	ReadOnly
	Writable
	Deprecated
	Supported
	Described
	ValuesAdded
	ValuesRemoved
	Narrowed
	Widened
	RuleAdded
	RuleRemoved
	DefaultAdded
	DefaultRemoved
	DefaultChanged
	Nullable
	NotNullable
	ListType
	ListKeys
	Closed
	Opened
	IntegerNarrow
	IntegerWide
	UnionChanged
	Changed // as the metadata declares
	Moved   // to another object, as the metadata declares
	VersionAdded
	VersionRemoved
	Unserved
	ServedAgain
	VersionDeprecated
	VersionSupported
	SubresourceAdded
	SubresourceRemoved
	SubresourceChanged
	Columns
	SelectableAdded
	SelectableRemoved
	ResourceAdded
	ResourceRemoved
	Scope
	Names
	ShortNameAdded
	ShortNameRemoved
	StoredVersionRemoved
	StorageVersion
	UnionWider
	RuleInvalid
	RuleCost
	RuleCostTotal
)

func (k Kind) String() string { return kindNames[k] }

// MarshalText writes a kind as a word in JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Change is one change.
type Change struct {
	Kind     Kind             `json:"change"`
	Severity finding.Severity `json:"breaks"`
	// Path is the path of the property: in the later version, or in the earlier one if it was
	// removed. If a type is used at several paths, it is the first of the shortest ones. It is
	// empty for a whole version or resource.
	Path string `json:"path,omitzero"`
	// Type is the definition that declares the property.
	Type string `json:"type,omitzero"`
	// Old and New are names, types or lists of values, depending on the kind. No values of secrets
	// are listed. Old is the earlier path of a property that moved.
	Old string `json:"old,omitzero"`
	New string `json:"new,omitzero"`
	// Declared is what the metadata declares for the property, as strata.yaml spells it.
	Declared string `json:"declared,omitzero"`
	// Estimate is set if API servers refuse the CRD because of its rules.
	Estimate *Estimate `json:"estimate,omitempty"`
	// Conversion, Fingerprint and Reason are set by Judge. Reason is why strata.yaml ignores the
	// change.
	Conversion  finding.Conversion `json:"conversion,omitzero"`
	Fingerprint string             `json:"fingerprint,omitzero"`
	Reason      string             `json:"reason,omitzero"`
	// Usage is set by Answered.
	Usage *Usage `json:"usage,omitempty"`

	Pos model.Pos `json:"-"`
}

// MarshalJSON writes a change with the identifier, the class and the direction of its rule.
func (c Change) MarshalJSON() ([]byte, error) {
	type plain Change
	r := c.Kind.Rule()
	return json.Marshal(struct {
		Rule      string            `json:"rule"`
		Class     finding.Class     `json:"class"`
		Direction finding.Direction `json:"direction"`
		plain
	}{r.ID, r.Class, r.Direction, plain(c)})
}

// Comparison is the list of all changes of one resource between two versions.
type Comparison struct {
	Resource string `json:"resource"` // the vendor's type
	Kind     string `json:"kind"`
	// From and To are the vendor's version names. They are equal if one version is compared between
	// two trees. One is empty if a resource was added or removed.
	From    string   `json:"from,omitzero"`
	To      string   `json:"to,omitzero"`
	Changes []Change `json:"changes"`
	// Explorer is the address of a page that shows the two versions; see [Link].
	Explorer string `json:"explorer,omitzero"`

	id identity
}

// Worst returns the greatest severity of several comparisons.
func Worst(all []Comparison) finding.Severity {
	worst := finding.None
	for _, c := range all {
		for _, one := range c.Changes {
			worst = max(worst, one.Severity)
		}
	}
	return worst
}

// Count returns the number of changes of several comparisons by severity.
func Count(all []Comparison) map[finding.Severity]int {
	out := map[finding.Severity]int{}
	for _, c := range all {
		for _, one := range c.Changes {
			out[one.Severity]++
		}
	}
	return out
}
