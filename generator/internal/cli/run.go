package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Run runs one command line, without the program's name, and gives the exit code.
func Run(ctx context.Context, args []string, streams Streams, engine Engine) int {
	app := &app{streams: streams, engine: engine}
	root := app.root()
	if found, code := app.external(ctx, root, args); found {
		return code
	}
	if m, isMissing := missing(args); isMissing {
		return app.usage(m)
	}
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		return app.usage(err)
	}
	return app.code
}

// app is one command line at work.
type app struct {
	streams Streams
	engine  Engine
	code    int // the exit code of a command that ran
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "strata",
		Short: "generate versioned Kubernetes APIs and the conversions between them",
		Long: "strata reads the schemas of all versions of an API. It generates Go types, storage types, the\n" +
			"conversions between them, and tests of the conversions.\n\n" +
			"strata arm, strata cluster and strata plugin are separate programs (strata-arm, ...). They import\n" +
			"resources, list the versions of stored objects, and manage plugins of the operator.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(a.streams.In)
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	root.AddCommand(a.init(), a.generate(), a.check(), a.diff(), a.explain(), a.imports(), a.install(), a.show(), a.version())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// noCommand refuses words that are no command, and names the one that was meant.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	m := diag.Errorf(diag.Pos{}, "unknown command %q", args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return m.WithHint("did you mean %q?", near[0])
	}
	return m.WithHint("strata help lists the commands; others are programs called %s%s, beside strata or in PATH", prefix, args[0])
}

// noArguments refuses words after a command.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments: %q", c.CommandPath(), strings.Join(args, " "))
}

// usage reports an error of the command line itself.
func (a *app) usage(err error) int {
	var m diag.Message
	if !errors.As(err, &m) {
		m = diag.Errorf(diag.Pos{}, "%v", err).WithHint("see strata help, or strata COMMAND --help")
	}
	a.print([]diag.Message{m}, nil)
	return Failed
}

// print writes messages for users.
func (a *app) print(messages []diag.Message, sources *diag.Sources) {
	printer := diag.Printer{Sources: sources, Colour: a.streams.Colour}
	_ = printer.Text(a.streams.Err, messages) // there is nowhere to say that it fails
}

// emit writes a result.
func emit(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}
