package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Step is one part of a verb. The summary and the error of the verb contain its name.
type Step struct {
	Name string
	Do   func(context.Context) error
}

// Run runs all steps in order, also those after one that fails, so that one run reports all
// faults. Only the end of the context stops it. The error names the steps that failed. If there
// is more than one step, Run writes a summary with their times to w.
func Run(ctx context.Context, w io.Writer, steps ...Step) error {
	var failed []error
	var summary strings.Builder
	for _, s := range steps {
		start := time.Now()
		err := s.Do(ctx)
		summary.WriteString(line(s.Name, err, time.Since(start)))
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.Name, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if len(steps) > 1 {
		fmt.Fprint(w, summary.String())
	}
	return errors.Join(failed...)
}

// line is what the summary has of a step.
func line(name string, err error, took time.Duration) string {
	return fmt.Sprintf("%-4s %6.1fs  %s\n", verdict(err), took.Seconds(), name)
}

func verdict(err error) string {
	if err != nil {
		return "FAIL"
	}
	return "ok"
}
