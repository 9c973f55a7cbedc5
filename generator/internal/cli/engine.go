package cli

import (
	"context"
	"io"

	"github.com/stratakube/strata/generator/internal/assess"
	"github.com/stratakube/strata/generator/internal/change"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/explain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/progress"
	"github.com/stratakube/strata/generator/internal/scaffold"
	"github.com/stratakube/strata/generator/internal/secret"
)

// Engine does the work. It adds what it has to say to the request's messages;
// an error it returns is added to them by the caller. It stops soon after the
// context is cancelled.
type Engine interface {
	// Generate runs one generation, and writes unless told not to.
	Generate(ctx context.Context, request GenerateRequest) (GenerateResult, error)
	// Check lists what ends in some version, and the metadata says nothing of.
	Check(ctx context.Context, request Request) (CheckResult, error)
	// Diff compares two schema trees, or versions of what the configuration names.
	Diff(ctx context.Context, request DiffRequest) (DiffResult, error)
	// Explain tells where a property is in every version.
	Explain(ctx context.Context, request ExplainRequest) (ExplainResult, error)
	// Init begins a project.
	Init(ctx context.Context, request InitRequest) (InitResult, error)
	// Import tells what hand-written conversions do that the plan does not.
	Import(ctx context.Context, request ImportRequest) (ImportResult, error)
	// Install prints what installs some kinds, or writes packages of it.
	Install(ctx context.Context, request InstallRequest) error
	// Show prints the model in its text notation.
	Show(ctx context.Context, request ShowRequest) error
}

// Request is what every command gives its engine.
type Request struct {
	// Config is the name of the strata.yaml.
	Config string
	// Only narrows this run; the zero value does not.
	Only config.Only
	// Lenient turns a resource that cannot be understood into an omission.
	Lenient bool

	Messages *diag.List
	// Sources is where the engine adds files, or finds them added, that
	// messages speak of.
	Sources  *diag.Sources
	Progress *progress.Progress
}

// GenerateRequest is one strata generate. At most one of DryRun and Check is set.
type GenerateRequest struct {
	Request
	DryRun bool // decide, but write nothing
	Check  bool // find drift, and write nothing
}

// GenerateResult is what one strata generate came to.
type GenerateResult struct {
	Summary Summary
	// Definitions tell how large what a cluster must keep is, the largest first.
	Definitions []Definition
	// Changes were made, or would be with DryRun or Check. Of a run that was spared
	// because nothing has changed since the last they are none, or nil.
	Changes *output.Changes
}

// Summary counts what stands in the output after a run.
type Summary struct {
	Groups    int `json:"groups"`
	Resources int `json:"resources"`
	Versions  int `json:"versions"` // resource versions
	Files     int `json:"files"`
	Omitted   int `json:"omitted"`  // resource versions
	FreeJSON  int `json:"freeJSON"` // properties that are free JSON because branches conflict
	// UpToDate says that inputs and outputs are those of the last run.
	UpToDate bool `json:"upToDate"`
}

// Definition is the budget of a custom resource definition. Near tells that it is
// near its limit, or over it; Descriptions how much of them is left.
type Definition struct {
	Name         string              `json:"name"`
	Bytes        int                 `json:"bytes"`
	Limit        int                 `json:"limit"`
	Near         bool                `json:"near"`
	Descriptions string              `json:"descriptions"`
	Versions     []DefinitionVersion `json:"versions"`
}

// DefinitionVersion is what one version takes of it.
type DefinitionVersion struct {
	Name   string `json:"name"`
	Served bool   `json:"served"`
	Bytes  int    `json:"bytes"`
}

// CheckResult is what one strata check found, the likeliest renames first.
type CheckResult struct {
	Strict   bool // the configuration wants findings to fail the command
	Findings []*assess.Finding
	// Secrets are properties that look like secrets, and of which neither source nor configuration says it.
	Secrets []*secret.Proposal
	// At gives the place of a finding or change in a schema. It is nil where there
	// are none.
	At func(model.Pos) diag.Pos
}

// DiffRequest is one strata diff. Old and New name what is compared, each a
// folder, a revision with a folder (main:schemas), or, with a configuration, a
// revision or a version. Both are empty where every version is to be compared with
// the one before it.
type DiffRequest struct {
	Request
	Old, New string
}

// DiffResult is what one strata diff found.
type DiffResult struct {
	Comparisons []change.Comparison
	At          func(model.Pos) diag.Pos // as of CheckResult
}

// ExplainRequest is one strata explain.
type ExplainRequest struct {
	Request
	Kind, Path string
}

// ExplainResult is what has become of a path: all properties that ever stood there.
type ExplainResult struct {
	Group, Kind string
	Properties  []explain.Property
}

// ShowRequest is one strata show.
type ShowRequest struct {
	Request
	Out io.Writer
}

// InitRequest is one strata init.
type InitRequest struct {
	Dir     string
	Choices scaffold.Choices // as far as flags make them
	// Ask has people confirm and change choices; nil where nobody is there.
	Ask func(*scaffold.Found, scaffold.Choices) (scaffold.Choices, error)
	// Force writes files that are there already.
	Force bool
}

// InitResult is what one strata init came to.
type InitResult struct {
	Choices scaffold.Choices
	Files   []string // that were written
}
