package cli

import (
	"context"

	"github.com/stratakube/strata/generator/internal/doctor"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/output"
)

// Engine does the work of the commands. It adds its messages to those of the request; the caller
// adds a returned error to them. It stops soon after the context is cancelled.
type Engine interface {
	// Generate runs one generation. It writes the files unless the request forbids that.
	Generate(ctx context.Context, request engine.GenerateRequest) (engine.GenerateResult, error)
	// Inputs returns a digest of the files that a generation reads. It changes with each of them.
	Inputs(ctx context.Context, request engine.Request) (output.Digest, error)
	// Check lists the properties that end in some version without an assessment in the metadata.
	Check(ctx context.Context, request engine.CheckRequest) (engine.CheckResult, error)
	// Diff compares two schema trees, or versions of the configured resources.
	Diff(ctx context.Context, request engine.DiffRequest) (engine.DiffResult, error)
	// Doctor returns what is wrong with a project, and with a cluster.
	Doctor(ctx context.Context, request engine.DoctorRequest) ([]doctor.Finding, error)
	// Explain reports where a property is in every version.
	Explain(ctx context.Context, request engine.ExplainRequest) (engine.ExplainResult, error)
	// Explorer writes pages that show the history of each group.
	Explorer(ctx context.Context, request engine.ExplorerRequest) error
	// Init begins a project.
	Init(ctx context.Context, request engine.InitRequest) (engine.InitResult, error)
	// Import reports what hand-written conversions do that the plan does not.
	Import(ctx context.Context, request engine.ImportRequest) (engine.ImportResult, error)
	// Convert converts the objects of manifests to other versions.
	Convert(ctx context.Context, request engine.ConvertRequest) (engine.ConvertResult, error)
	// Install prints what installs some kinds, or writes packages of it.
	Install(ctx context.Context, request engine.InstallRequest) error
	// Eject makes generated files the author's own.
	Eject(ctx context.Context, request engine.EjectRequest) (*output.Changes, error)
	// Names lists what the last run generated, for completions.
	Names(config string) ([]engine.Name, error)
	// Show prints the model in its text notation.
	Show(ctx context.Context, request engine.ShowRequest) error
}
