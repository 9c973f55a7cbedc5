package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

// flags are those that generate and show have in common.
type flags struct {
	config  string
	only    []string
	lenient bool
}

func (f *flags) add(a *app, c *cobra.Command) {
	f.addFile(c)
	c.Flags().StringArrayVar(&f.only, "only", nil,
		"restrict this run to resource types (a glob, as in 'Microsoft.Batch/**') or versions (as in '>=2019-08-01'); may be repeated")
	completeFlag(c, "only", a.names(&f.config, typeNames))
}

// addFile adds the flags of commands that work on all resources.
func (f *flags) addFile(c *cobra.Command) {
	c.Flags().StringVar(&f.config, "config", "strata.yaml", "the configuration file")
	c.Flags().BoolVar(&f.lenient, "lenient", false, "omit resources that cannot be understood, and list them")
	completeFlag(c, "config", files("yaml", "yml"))
}

// request makes what the engine gets; progress and messages are new.
func (f *flags) request(a *app) (engine.Request, error) {
	only, err := config.ParseOnly(f.only)
	out := a.streams.Err
	if a.quiet {
		out = io.Discard
	}
	return engine.Request{
		Config: f.config, Only: only, Lenient: f.lenient,
		Messages: new(diag.List),
		Sources:  diag.NewSources(nil),
		Progress: progress.New(out, a.streams.Terminal && !a.quiet),
	}, err
}

func (a *app) generate() *cobra.Command {
	var flags flags
	var dryRun, check bool
	format := newFormat(table, json, yaml)
	c := &cobra.Command{
		Use:   "generate",
		Short: "generate Go code and CRDs from schemas",
		Example: "  strata generate\n" +
			"  strata generate --config schemas/crm/strata.yaml --dry-run\n" +
			"  strata generate --check -o json",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			return a.runGenerate(c.Context(), engine.GenerateRequest{Request: request, DryRun: dryRun, Check: check}, format)
		},
	}
	flags.add(a, c)
	format.add(c)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be written and removed, and write nothing")
	c.Flags().BoolVar(&check, "check", false, "exit with 1 if generating would change anything, and write nothing")
	c.MarkFlagsMutuallyExclusive("dry-run", "check")
	return c
}

func (a *app) runGenerate(ctx context.Context, request engine.GenerateRequest, format *format) error {
	result, err := within(ctx, func() (engine.GenerateResult, error) { return a.engine.Generate(ctx, request) })
	end(request.Request, err)
	report := newReport(request, result)
	a.code = report.code()
	if a.code == Findings {
		request.Messages.Add(report.finding())
	}
	messages := request.Messages.Messages()
	a.print(messages, request.Sources)
	switch {
	case format.isDocument():
		return report.print(a.streams.Out, format, diag.Printer{Sources: request.Sources}.Records(messages))
	case a.quiet && !request.DryRun && !request.Check:
		return nil
	}
	return report.table(a.streams.Out)
}

// end closes a run. It adds the error to the messages, and hides the counts of a failed run.
func end(r engine.Request, err error) {
	r.Messages.AddError(interrupted(err))
	if r.Messages.Err() != nil {
		r.Progress.Stop()
		return
	}
	r.Progress.Done()
}

// interrupted replaces the error of a cancelled context by a short one.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return diag.Errorf(diag.Pos{}, "interrupted")
	}
	return err
}

func (a *app) show() *cobra.Command {
	var flags flags
	c := &cobra.Command{
		Use:     "show",
		Short:   "print the model that strata made of the schemas",
		Example: "  strata show --only 'Microsoft.Batch/batchAccounts' --only '>=2023-01-01'",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			return a.runShow(c.Context(), request)
		},
	}
	flags.add(a, c)
	return c
}

func (a *app) runShow(ctx context.Context, request engine.Request) error {
	err := without(ctx, func() error { return a.engine.Show(ctx, engine.ShowRequest{Request: request, Out: a.streams.Out}) })
	end(request, err)
	a.print(request.Messages.Messages(), request.Sources)
	if request.Messages.Err() != nil {
		a.code = Failed
	}
	return nil
}
