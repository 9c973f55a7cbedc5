package engine

import (
	"io"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/analysis/explain"
	"github.com/stratakube/strata/generator/internal/analysis/migrate"
	"github.com/stratakube/strata/generator/internal/analysis/older"
	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/progress"
	"github.com/stratakube/strata/generator/internal/scaffold"
	"github.com/stratakube/strata/generator/internal/secret"
)

// Request holds what every command passes to the engine.
type Request struct {
	// Config is the name of the strata.yaml.
	Config string
	// Only narrows this run; the zero value does not.
	Only config.Only
	// Lenient turns a resource that cannot be understood into an omission.
	Lenient bool

	Messages *diag.List
	// Sources has the files that messages refer to. The engine adds those that it reads.
	Sources  *diag.Sources
	Progress *progress.Progress
}

// GenerateRequest describes one strata generate. At most one of DryRun and Check is set.
type GenerateRequest struct {
	Request
	DryRun bool // decide, but write nothing
	Check  bool // find drift, and write nothing
}

// GenerateResult is the result of one strata generate.
type GenerateResult struct {
	Summary Summary
	// CRDs are the sizes of the generated CRDs, the largest first.
	CRDs []CRDSize
	// Changes were made, or would be made with DryRun or Check. It is empty or nil for a run that
	// was skipped because nothing has changed since the last one.
	Changes *output.Changes
}

// Summary counts what the output contains after a run.
type Summary struct {
	Groups    int `json:"groups"`
	Resources int `json:"resources"`
	Versions  int `json:"versions"` // resource versions
	Files     int `json:"files"`
	Omitted   int `json:"omitted"`  // resource versions
	FreeJSON  int `json:"freeJSON"` // properties that are free JSON because branches conflict
	// UpToDate reports whether inputs and outputs are those of the last run.
	UpToDate bool `json:"upToDate"`
}

// CRDSize is the size of one CRD. Near reports whether it is near its limit or above it;
// Descriptions says which of its descriptions are left.
type CRDSize struct {
	Name         string           `json:"name"`
	Bytes        int              `json:"bytes"`
	Limit        int              `json:"limit"`
	Near         bool             `json:"near"`
	Descriptions string           `json:"descriptions"`
	Versions     []CRDVersionSize `json:"versions"`
}

// CRDVersionSize is the size of one version within a CRD.
type CRDVersionSize struct {
	Name   string `json:"name"`
	Served bool   `json:"served"`
	Bytes  int    `json:"bytes"`
}

// CheckResult is the result of one strata check, the likeliest renames first.
type CheckResult struct {
	Strict   bool // findings fail the command
	Findings []*removals.Finding
	// Secrets are properties that look like secrets, and that neither source nor configuration
	// marks.
	Secrets []*secret.Proposal
	// Older are requirements that objects of older versions can violate.
	Older []*older.Finding
	// At returns the position of a finding or change in a schema. It is nil where there are none.
	At func(model.Pos) diag.Pos
}

// DiffRequest describes one strata diff. Old and New each name a folder, a revision with a folder
// (main:schemas), or, with a configuration, a revision or a version. Both are empty where every
// version is compared with the one before it.
type DiffRequest struct {
	Request
	Old, New string
}

// DiffResult is the result of one strata diff.
type DiffResult struct {
	Comparisons []diff.Comparison
	At          func(model.Pos) diag.Pos // as in CheckResult
}

// ExplainRequest describes one strata explain.
type ExplainRequest struct {
	Request
	Kind, Path string
}

// ExplainResult is the history of a path: all properties that ever had it.
type ExplainResult struct {
	Group, Kind string
	Properties  []explain.Property
}

// ShowRequest describes one strata show.
type ShowRequest struct {
	Request
	Out io.Writer
}

// InitRequest describes one strata init.
type InitRequest struct {
	Dir     string
	Choices scaffold.Choices // as far as flags make them
	// Ask lets the user confirm and change choices; nil where nobody can be asked.
	Ask func(*scaffold.Found, scaffold.Choices) (scaffold.Choices, error)
	// Force overwrites files that exist.
	Force bool
}

// InitResult is the result of one strata init.
type InitResult struct {
	Choices scaffold.Choices
	Files   []string // that were written
}

// ImportRequest describes one strata import. Cases is how many random objects of every version
// are compared; none for 0.
type ImportRequest struct {
	Request
	Cases int
}

// ImportResult is the result of one strata import.
type ImportResult struct {
	// Conversions counts the versions of kinds that have hand-written conversions.
	Conversions int
	Findings    []migrate.Finding
	Readings    []migrate.Reading
}

// InstallRequest describes one strata install.
type InstallRequest struct {
	Request
	// Select are groups and kinds; nil for all. Parts are of what is installed; nil for all.
	Select, Parts []string
	// Dir is a folder for the packages; empty for the manifests alone, which go to Out.
	Dir string
	Out io.Writer
}
