package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Options say how the story is told.
type Options struct {
	Out      io.Writer
	Coloured bool              // for a terminal
	Stay     bool              // keep the cluster for playing with, until the context ends
	Report   func(line string) // gets lines on what takes long
}

// Run tells the story. Before it returns it stops all that it has started. The end of the context is no error once the
// story is told.
func Run(ctx context.Context, o Options) (err error) {
	s, err := open(ctx, o.Report)
	if err != nil {
		return fmt.Errorf("set the stage: %w", err)
	}
	defer func() { err = errors.Join(err, s.close()) }()
	out := screen{o.Out, o.Coloured}
	for i, scene := range story {
		out.sentence(i+1, len(story), scene.says)
		for _, l := range scene.lines {
			if err := s.play(ctx, out, l); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		if scene.waits {
			if err := s.awaitVersions(ctx); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
	}
	if !o.Stay {
		return nil
	}
	out.farewell(s.environment(), s.dir())
	return s.Ended(ctx)
}

// play runs a line and shows it with what it says.
func (s *stage) play(ctx context.Context, out screen, l line) error {
	out.command(l.shell)
	said, code, err := s.sh(ctx, l.shell)
	if err != nil {
		return err
	}
	out.output(said, l.silence)
	if code != l.code {
		return fmt.Errorf("%s: exit code %d, and not %d\n%s", l.shell, code, l.code, said)
	}
	return nil
}
