package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Options configure the output of the story.
type Options struct {
	Out      io.Writer
	Coloured bool              // for a terminal
	Stay     bool              // keep the cluster for playing with, until the context ends
	Report   func(line string) // gets lines on what takes long
}

// Run runs the story. Before it returns it stops all processes that it has started. The end of
// the context is no error after the last line of the story.
func Run(ctx context.Context, o Options) (err error) {
	s, err := open(ctx, o.Report)
	if err != nil {
		return fmt.Errorf("set the stage: %w", err)
	}
	defer func() { err = errors.Join(err, s.close()) }()
	out := screen{o.Out, o.Coloured}
	for i, scene := range story {
		out.sentence(i+1, len(story), scene.caption)
		if err := s.perform(ctx, out, scene); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	if !o.Stay {
		return nil
	}
	out.farewell(s.environment(), s.dir())
	return s.Ended(ctx)
}

// perform plays a scene.
func (s *stage) perform(ctx context.Context, out screen, scene scene) error {
	if scene.operates {
		if err := s.operates(ctx); err != nil {
			return err
		}
	}
	for _, l := range scene.lines {
		if err := s.play(ctx, out, l); err != nil {
			return err
		}
	}
	if scene.waits {
		if err := s.AwaitServed(ctx); err != nil {
			return err
		}
	}
	if scene.sends {
		return s.shows(out)
	}
	return nil
}

// shows prints the body that the external API received.
func (s *stage) shows(out screen) error {
	sent := s.sent()
	if len(sent) == 0 {
		return errors.New("the external API was sent nothing")
	}
	for _, c := range sent {
		if err := out.call(c); err != nil {
			return err
		}
	}
	return nil
}

// play runs a line and prints it with its output.
func (s *stage) play(ctx context.Context, out screen, l line) error {
	out.command(l.shell)
	printed, code, err := s.sh(ctx, l.shell)
	if err != nil {
		return err
	}
	out.output(printed, l.silence)
	if code != l.code {
		return fmt.Errorf("%s: exit code %d, and not %d\n%s", l.shell, code, l.code, printed)
	}
	return nil
}
