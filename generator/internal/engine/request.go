package engine

import (
	"context"
	"io"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/analysis/explain"
	"github.com/stratakube/strata/generator/internal/analysis/migrate"
	"github.com/stratakube/strata/generator/internal/analysis/older"
	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/buildedit"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/progress"
	"github.com/stratakube/strata/generator/internal/scaffold"
	"github.com/stratakube/strata/generator/internal/secret"
)

// Request contains the parameters that every command passes to the engine.
type Request struct {
	// Config is the file name of the configuration, strata.yaml.
	Config string
	// Only limits this run to some resource versions; the zero value does not.
	Only config.Only
	// Lenient omits resource versions that cannot be understood, instead of reporting errors.
	Lenient bool

	Messages *diag.List
	// Sources has the files that messages refer to. The engine adds the files that it reads.
	Sources  *diag.Sources
	Progress *progress.Progress
}

// GenerateRequest contains the parameters of strata generate. At most one of DryRun and Check is
// set.
type GenerateRequest struct {
	Request
	DryRun bool // write nothing
	Check  bool // write nothing, and report drift
}

// GenerateResult is the result of strata generate.
type GenerateResult struct {
	Summary Summary
	// CRDs are the sizes of the generated CRDs, the largest first.
	CRDs []CRDSize
	// Changes were made or, with DryRun or Check, would be made. They are empty or nil for a run
	// that was skipped because nothing has changed since the last one.
	Changes *output.Changes
}

// Summary counts the contents of the output after a run.
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

// CRDSize is the size of one CRD. Near reports whether it is near its limit or above it.
// Descriptions states which of its descriptions are preserved.
type CRDSize struct {
	Name         string `json:"name"`
	Bytes        int    `json:"bytes"`
	Limit        int    `json:"limit"`
	Near         bool   `json:"near"`
	Descriptions string `json:"descriptions"`
	// ServedBySource reports whether the source, and not the configuration, states which versions
	// are served.
	ServedBySource bool `json:"servedBySource"`

	Versions []CRDVersionSize `json:"versions"`
}

// CRDVersionSize is the size of one version within a CRD.
type CRDVersionSize struct {
	Name   string `json:"name"`
	Served bool   `json:"served"`
	Bytes  int    `json:"bytes"`
}

// CheckRequest contains the parameters of strata check.
type CheckRequest struct {
	Request
	// Baseline is a file that an earlier run wrote with -o json: its findings do not count.
	Baseline string
}

// IgnoredFinding is a finding of strata check that the configuration ignores.
type IgnoredFinding struct {
	Rule        string `json:"rule"` // the identifier
	Resource    string `json:"resource"`
	Path        string `json:"path"`
	Fingerprint string `json:"fingerprint"`
	Reason      string `json:"reason"`
}

// CheckResult is the result of strata check, with the most likely renames first.
type CheckResult struct {
	Strict   bool // findings fail the command
	Findings []*removals.Finding
	// Secrets are properties that look like secrets, and that neither a source nor the
	// configuration marks as such.
	Secrets []*secret.Proposal
	// Older are requirements that objects of older versions can violate.
	Older []*older.Finding
	// Ignored are findings that the configuration ignores. Known is the number of findings that the
	// baseline has.
	Ignored []IgnoredFinding
	Known   int
	// At returns the position of a finding in a schema. It is nil if there are no findings.
	At func(model.Pos) diag.Pos
}

// DiffRequest contains the parameters of strata diff. Old and New each name a folder, a revision
// with a folder (main:schemas) or, with a configuration, a revision or a version. If both are
// empty, every version is compared with the previous one.
type DiffRequest struct {
	Request
	Old, New string
	// Docs includes changes of what only people read.
	Docs bool
	// Baseline is a file that an earlier run wrote with -o json: its findings do not count.
	Baseline string
	// Usage counts the objects of a cluster that set the properties of changes. Context names the
	// cluster; empty for the current context.
	Usage   bool
	Context string
	// Cluster runs a command of strata-cluster with an input, and returns what it prints. It is needed
	// for Usage, and for kube://CONTEXT in Old or New.
	Cluster func(ctx context.Context, input []byte, args ...string) ([]byte, error)
}

// DiffResult is the result of strata diff.
type DiffResult struct {
	Comparisons []diff.Comparison
	// Ignored are changes that the configuration ignores, each with its reason. Known is the number
	// of changes that the baseline has.
	Ignored []diff.Comparison
	Known   int
	At      func(model.Pos) diag.Pos // as in CheckResult
}

// ExplainRequest contains the parameters of strata explain.
type ExplainRequest struct {
	Request
	Kind, Path string
}

// ExplainResult is the history of a path: all properties that have had it in any version.
type ExplainResult struct {
	Group, Kind string
	Properties  []explain.Property
}

// ExplorerRequest contains the parameters of strata explorer. Dir is the folder for the pages. With
// Convert, they convert objects. Out takes the summary, or the address of the pages.
type ExplorerRequest struct {
	Request
	Dir     string
	Convert bool
	// Serve serves the pages at Port of the loopback interface, and writes none. Zero is a free port.
	Serve bool
	Port  int
	// From is empty, or kube:// and a context: the pages then have the numbers of its objects.
	From string
	// Cluster is that of [DiffRequest].
	Cluster func(ctx context.Context, input []byte, args ...string) ([]byte, error)
	Out     io.Writer
}

// EjectRequest contains the parameters of strata eject. With DryRun nothing is written.
type EjectRequest struct {
	Request
	DryRun bool
}

// ShowRequest contains the parameters of strata show.
type ShowRequest struct {
	Request
	Out io.Writer
}

// InitRequest contains the parameters of strata init. Config of its Request is not used: the file
// is strata.yaml in Dir.
type InitRequest struct {
	Request
	Dir     string
	Choices scaffold.Choices // those that flags make
	// Ask lets the user answer what flags left open; nil if the session is not interactive.
	Ask func(*scaffold.Found, scaffold.Choices) (scaffold.Choices, error)
	// Force overwrites files that exist.
	Force bool
}

// InitResult is the result of strata init.
type InitResult struct {
	Found   *scaffold.Found
	Choices scaffold.Choices
	Files   []string // the files that were written
	// Edited and Removed are files of the user, with Write. Kept are the kinds whose hand-written
	// conversions do what generated ones would not. Stubs are the kinds whose conversions copied only
	// metadata, so that objects now have values in versions that lost them before.
	Edited, Removed, Kept, Stubs []string
	// Patch is what would change in files that build and install CRDs. Refused are those among them
	// that are not as kubebuilder writes them.
	Patch   []byte
	Refused []Refused
	// Unregistered is the import path of the generated package if no program was seen to register it.
	Unregistered string
}

// Refused is a file of the user, or a line of it, that is not changed, and the reason.
type Refused struct {
	Path string
	*buildedit.Refusal
}

// ImportRequest contains the parameters of strata import. Cases is the number of random objects
// of every version that are compared.
type ImportRequest struct {
	Request
	Cases int
}

// ImportResult is the result of strata import.
type ImportResult struct {
	// Conversions counts the versions of kinds that have hand-written conversions.
	Conversions int
	Findings    []migrate.Finding
	Readings    []migrate.Reading
}

// InstallRequest contains the parameters of strata install.
type InstallRequest struct {
	Request
	// Select lists groups and kinds; nil means all. Parts lists parts of the installation; nil
	// means all.
	Select, Parts []string
	// Dir is the folder for the packages. If it is empty, the manifests are written to Out.
	Dir string
	Out io.Writer
}
