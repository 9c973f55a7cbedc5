package launch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
)

// life is a process and go-plugin's client of it.
type life struct {
	child   *child
	client  *goplugin.Client
	sockets string // the folder of the process's socket
}

// begin starts the process and checks that it answers. go-plugin would wait forever for a process
// that hangs; killing the process ends that wait.
func (l *life) begin(ctx context.Context) (*Session, error) {
	stop := context.AfterFunc(ctx, func() { l.child.kill() })
	s, err := l.connect(ctx)
	if stop() && err == nil {
		go func() {
			<-l.child.ended
			l.close()
		}()
		return s, nil
	}
	l.child.kill()
	l.child.awaitEnd()
	l.close()
	return nil, l.explain(ctx, err)
}

// close releases everything of a process that has ended.
func (l *life) close() {
	l.client.Kill() // waits for its readers
	l.child.release()
}

func (l *life) connect(ctx context.Context) (*Session, error) {
	client, err := l.client.Client()
	if err != nil {
		return nil, handshake(err)
	}
	s := &Session{
		Conn: client.(*goplugin.GRPCClient).Conn, Since: time.Now(),
		ended: l.child.ended, why: l.child.why, kill: func() { l.child.kill() }, quit: l.client.Kill,
	}
	return s, s.greet(ctx)
}

// handshake adds the meaning to errors of go-plugin's handshake.
func handshake(err error) error {
	const unknown = "Unrecognized remote plugin message: "
	text := err.Error()
	line, isUnknown := strings.CutPrefix(text, unknown)
	line, _, _ = strings.Cut(line, "\n")
	switch {
	case isUnknown && line == "":
		return errors.New("it ended before the handshake")
	case isUnknown:
		return fmt.Errorf("its first line is %.200q and not a handshake: it is not a plugin of Strata, or writes to stdout before it serves", line)
	case strings.HasPrefix(text, "plugin exited before"):
		return errors.New("it ended before the handshake")
	}
	return fmt.Errorf("handshake: %w", err)
}

// explain adds how the process ended, if it did so by itself, and its last output.
func (l *life) explain(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil {
		err = fmt.Errorf("it did not answer in time: %w", cause)
	}
	if why := l.child.why(); why != nil {
		return fmt.Errorf("%w (%w)", err, why)
	}
	return err
}
