package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/engine"
)

func (a *app) explorer() *cobra.Command {
	var flags flags
	var request engine.ExplorerRequest
	c := &cobra.Command{
		Use:   "explorer",
		Short: "write pages that show every property in every version",
		Long: "explorer writes a page for each group, which a browser shows from disk. Rows are properties, and columns\n" +
			"are versions. A cell says what the version has: the same property, one with another name or type, or the\n" +
			"key in a property bag. A page also compares two versions, searches, and has sample manifests.\n\n" +
			"A page is one file. It loads nothing, and sends nothing.\n\n" +
			"With --convert, a page also shows an object that you paste in every version, what each version hides, and\n" +
			"what an edit there changes in the hub. The page converts the object itself, by a script beside it. The go\n" +
			"command compiles the script, in a module that has strata as a tool.\n\n" +
			"With --serve, explorer writes no pages, but serves them to this machine until an interrupt. With --from\n" +
			"kube://CONTEXT, pages show how many objects of a cluster were written in each version.",
		Example: "  strata explorer\n  strata explorer -o site/api --convert\n  strata explorer --serve --from kube://production",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if !request.Serve && c.Flags().Changed("port") {
				return wrongUsage(c, errors.New("--port needs --serve"))
			}
			if request.Serve && c.Flags().Changed("output") {
				return wrongUsage(c, errors.New("--serve writes no pages: leave -o out"))
			}
			if request.Request, err = flags.request(a); err != nil {
				return err
			}
			request.Cluster = a.askCluster
			if request.Out = a.streams.Out; a.quiet {
				request.Out = io.Discard
			}
			err = without(c.Context(), func() error { return a.engine.Explorer(c.Context(), request) })
			end(request.Request, err)
			a.print(request.Messages.Messages(), request.Sources)
			if request.Messages.Err() != nil {
				a.code = Failed
			}
			return nil
		},
	}
	flags.add(a, c)
	c.Flags().StringVarP(&request.Dir, "output", "o", "explorer", "the `folder` for the pages")
	c.Flags().BoolVar(&request.Convert, "convert", false, "let pages convert objects; needs the go command")
	c.Flags().BoolVar(&request.Serve, "serve", false, "serve the pages to this machine, and write none")
	c.Flags().IntVar(&request.Port, "port", 0, "the `port` to serve at; a free one by default")
	c.Flags().StringVar(&request.From, "from", "", "a `cluster` whose objects are counted: kube://CONTEXT")
	completeFlag(c, "output", folders)
	return c
}
