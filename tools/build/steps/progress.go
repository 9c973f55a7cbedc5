package steps

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Follow runs all steps as [Run] does, and writes a line with the time of each as soon as it ends,
// in place of the summary. On a terminal the name of the step that runs is in the last line.
func Follow(ctx context.Context, w io.Writer, isTerminal bool, steps ...Step) error {
	followed := make([]Step, len(steps))
	for i, s := range steps {
		followed[i] = Step{Name: s.Name, Do: func(ctx context.Context) error {
			if isTerminal {
				fmt.Fprintf(w, "%-14s%s", "...", s.Name)
			}
			start := time.Now()
			err := s.Do(ctx)
			if isTerminal {
				fmt.Fprint(w, "\r")
			}
			fmt.Fprint(w, line(s.Name, err, time.Since(start)))
			return err
		}}
	}
	return Run(ctx, io.Discard, followed...)
}
