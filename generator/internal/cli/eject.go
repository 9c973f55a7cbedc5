package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

func (a *app) eject() *cobra.Command {
	var flags flags
	dryRun := false
	c := &cobra.Command{
		Use:   "eject",
		Short: "make the generated files your own, and generate them no more",
		Long: "eject removes the header of generated files from types, conversions, tests and CRDs. They are then files\n" +
			"of yours, which still require the runtime. strata generate refuses the folder afterwards. The ledger stays.\n" +
			"Commit before: version control is the way back.",
		Example: "  strata eject --dry-run\n  strata eject",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			changes, err := within(c.Context(), func() (*output.Changes, error) {
				return a.engine.Eject(c.Context(), engine.EjectRequest{Request: request, DryRun: dryRun})
			})
			end(request, err)
			a.print(request.Messages.Messages(), request.Sources)
			if request.Messages.Err() != nil {
				a.code = Failed
				return nil
			}
			return emit(a.streams.Out, plaintext.VisibleLines(ejectText(changes, dryRun)))
		},
	}
	c.Flags().StringVar(&flags.config, "config", "strata.yaml", "the configuration file")
	completeFlag(c, "config", files("yaml", "yml"))
	c.Flags().BoolVar(&dryRun, "dry-run", false, "list the files, and write nothing")
	return c
}

// ejectText reports the files that are the author's now.
func ejectText(changes *output.Changes, dryRun bool) string {
	var b strings.Builder
	own := 0
	for _, change := range changes.List {
		if change.Path == output.ManifestFile {
			continue
		}
		own++
		if dryRun {
			b.WriteString(change.Path + "\n")
		}
	}
	b.WriteString(counted(own, "file is", "files are") + " yours")
	if dryRun {
		b.WriteString(" (dry run)")
	}
	return b.String() + "\n"
}
