package testrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"gotest.tools/gotestsum/testjson"

	"github.com/stratakube/strata/tools/build/command"
)

// Run collects the results of several go test commands. Its methods must not be called
// concurrently.
type Run struct {
	out       io.Writer
	execution *testjson.Execution
	took      map[string]time.Duration // the time of each package, in all commands that ran tests of it
}

// New returns a run whose results are printed to out.
func New(out io.Writer) *Run { return &Run{out: out, took: map[string]time.Duration{}} }

// Command is a go test command: where it runs, and its arguments.
type Command struct {
	In   command.In
	Args []string
}

// Lane is a list of commands that run one after the other, also after one that fails.
type Lane []Command

// Test runs go test. The lanes run at the same time. It prints a line for each package, and the
// output of each test that fails.
func (r *Run) Test(ctx context.Context, lanes ...Lane) error {
	events, stream := io.Pipe()
	failed := make(chan error, 1)
	go func() {
		err := runAll(ctx, lanes, stream)
		stream.Close()
		failed <- err
	}()
	execution, err := testjson.ScanTestOutput(testjson.ScanConfig{
		Stdout: events, Handler: r.handler(), Execution: r.execution, IgnoreNonJSONOutputLines: true,
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

// runAll writes the events of all lanes to one stream.
func runAll(ctx context.Context, lanes []Lane, stream io.Writer) error {
	shared := &lines{out: stream}
	errs := make([]error, len(lanes))
	var all sync.WaitGroup
	for i, lane := range lanes {
		all.Go(func() { errs[i] = lane.run(ctx, shared) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (l Lane) run(ctx context.Context, shared *lines) error {
	var errs []error
	for _, c := range l {
		stdout := &line{lines: shared}
		c.In.Stdout = stdout
		errs = append(errs, c.In.Go(ctx, append([]string{"test", "-json"}, c.Args...)...), stdout.end())
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

// handler prints events as go test does without -json.
type handler struct {
	*Run
	lines testjson.EventFormatter
}

func (r *Run) handler() handler {
	return handler{r, testjson.NewEventFormatter(r.out, "standard-quiet", testjson.FormatOptions{})}
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
	case event.PackageEvent() && event.Action.IsTerminal():
		h.took[event.Package] += time.Duration(event.Elapsed * float64(time.Second))
	}
	return h.lines.Format(event, execution)
}

// Err prints a line that is no event.
func (h handler) Err(line string) error {
	_, err := fmt.Fprintln(h.out, line)
	return err
}
