package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Run runs one command line, without the program's name, and gives the exit code.
func Run(ctx context.Context, args []string, streams Streams, engine Engine) int {
	app := &app{streams: streams, engine: engine}
	root := app.root()
	if found, code := app.external(ctx, root, args); found {
		return code
	}
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		app.code = app.usage(err)
	}
	if app.code == Failed && ctx.Err() != nil {
		return interruptedBy(ctx)
	}
	return app.code
}

// app is one command line at work.
type app struct {
	streams Streams
	engine  Engine
	quiet   bool
	code    int // the exit code of a command that ran
}

// usage reports an error of the command line itself.
func (a *app) usage(err error) int {
	var m diag.Message
	if !errors.As(err, &m) {
		m = diag.Errorf(diag.Pos{}, "%v", err).WithHint("see strata help")
	}
	a.print([]diag.Message{m}, nil)
	return Failed
}

// print writes messages for users, with --quiet without notes.
func (a *app) print(messages []diag.Message, sources *diag.Sources) {
	if a.quiet {
		messages = slices.DeleteFunc(slices.Clone(messages), func(m diag.Message) bool { return m.Severity == diag.Note })
	}
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
