package testrun

import (
	"context"
	"fmt"
	"io"

	"gotest.tools/gotestsum/testjson"

	"github.com/stratakube/strata/tools/build/command"
)

// Run collects the results of several go test commands. Its methods must not be called concurrently.
type Run struct {
	out       io.Writer
	execution *testjson.Execution
}

// New returns a run whose results are printed to out.
func New(out io.Writer) *Run { return &Run{out: out} }

// Test runs go test with the arguments. It prints a line for each package, and the output of each test that fails.
func (r *Run) Test(ctx context.Context, in command.In, args ...string) error {
	events, stream := io.Pipe()
	in.Stdout = stream
	failed := make(chan error, 1)
	go func() {
		err := in.Go(ctx, append([]string{"test", "-json"}, args...)...)
		stream.Close()
		failed <- err
	}()
	execution, err := testjson.ScanTestOutput(testjson.ScanConfig{
		Stdout: events, Handler: newHandler(r.out), Execution: r.execution, IgnoreNonJSONOutputLines: true,
	})
	r.execution = execution
	events.Close() // lets the command end where the scan has failed
	if ended := <-failed; ended != nil {
		return ended
	}
	if err != nil {
		return fmt.Errorf("read results of tests: %w", err)
	}
	return nil
}

// handler prints events as go test does without -json.
type handler struct {
	out   io.Writer
	lines testjson.EventFormatter
}

func newHandler(out io.Writer) handler {
	return handler{out, testjson.NewEventFormatter(out, "standard-quiet", testjson.FormatOptions{})}
}

func (h handler) Event(event testjson.TestEvent, execution *testjson.Execution) error {
	switch {
	case event.Action == testjson.ActionBuild:
		fmt.Fprint(h.out, event.Output)
	case event.Action == testjson.ActionFail && !event.PackageEvent():
		p := execution.Package(event.Package)
		for _, line := range p.OutputLines(p.LastFailedByName(event.Test)) {
			fmt.Fprint(h.out, line)
		}
	}
	return h.lines.Format(event, execution)
}

// Err prints a line that is no event.
func (h handler) Err(line string) error {
	_, err := fmt.Fprintln(h.out, line)
	return err
}
