package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/launch"
)

// stream is one call of a method that streams.
type stream struct {
	*instance
	manner contract.Manner
	in     proto.Message
	next   func(decode func(proto.Message) error) error

	received bool  // whether next has been called
	size     int64 // of all messages so far, if it is limited
}

// ended is an error of next, which ends the call.
type ended struct{ error }

// Stream implements contract.Caller. The whole call has the deadline of the context. Without one,
// CallTimeout limits the wait for each message.
func (i *instance) Stream(ctx context.Context, method string, in proto.Message, next func(decode func(proto.Message) error) error) error {
	manner, err := i.manner(method)
	if err != nil {
		return err
	}
	s := &stream{instance: i, manner: manner, in: in, next: next}
	err = s.once(ctx)
	if isRepeatable(err, manner) && !s.received && ctx.Err() == nil {
		err = s.once(ctx)
	}
	var own ended
	if errors.As(err, &own) {
		return own.error
	}
	return i.describe(method, in, err)
}

// once makes the call in the present process. Its end cancels the call in the plugin.
func (s *stream) once(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b, err := s.prepare(ctx)
	if err != nil {
		return err
	}
	pause := newPause(ctx, s.process.options.CallTimeout, cancel)
	defer pause.stop()
	call, err := b.session.Conn.NewStream(b.named(ctx), &grpc.StreamDesc{ServerStreams: true}, s.manner.Path)
	if err != nil {
		return s.judgeStream(ctx, b.session, pause, err)
	}
	// An error of SendMsg is io.EOF if the call has ended already; RecvMsg returns the reason.
	if err := call.SendMsg(s.in); err != nil && !errors.Is(err, io.EOF) {
		return s.judgeStream(ctx, b.session, pause, err)
	}
	if err := call.CloseSend(); err != nil {
		return s.judgeStream(ctx, b.session, pause, err)
	}
	for {
		err := s.receive(call, pause)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, new(ended)), errors.As(err, new(*LimitError)):
			return err
		default:
			return s.judgeStream(ctx, b.session, pause, err)
		}
	}
}

// prepare binds the instance. CallTimeout limits it if the context has no deadline.
func (s *stream) prepare(ctx context.Context) (*binding, error) {
	if _, hasDeadline := ctx.Deadline(); !hasDeadline {
		limited, cancel := context.WithTimeout(ctx, s.process.options.CallTimeout)
		defer cancel()
		ctx = limited
	}
	return s.bind(ctx)
}

// receive waits for a message and passes it to next.
func (s *stream) receive(call grpc.ClientStream, pause *pause) error {
	var failed error
	err := s.next(func(m proto.Message) error {
		pause.begin()
		failed = call.RecvMsg(m)
		pause.stop()
		if failed == nil {
			s.received = true
			failed = s.count(m)
		}
		return failed
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return ended{err}
	}
	return nil
}

// frame is what gRPC adds to each message, in bytes. It counts, so that empty messages without end
// reach the limit too.
const frame = 5

// count adds the size of a message and of its frame to that of the call.
func (s *stream) count(m proto.Message) error {
	limit := s.process.options.StreamLimit
	if limit <= 0 {
		return nil
	}
	if s.size += frame + int64(proto.Size(m)); s.size > limit {
		return &LimitError{Limit: limit}
	}
	return nil
}

// LimitError reports that all messages of a call are together larger than Options.StreamLimit. The
// call has ended.
type LimitError struct{ Limit int64 }

func (e *LimitError) Error() string {
	return fmt.Sprintf("the stream is larger than the limit of %d bytes", e.Limit)
}

// judgeStream converts an error of gRPC, as judge does. A pause that was too long is a missed
// deadline.
func (s *stream) judgeStream(ctx context.Context, session *launch.Session, pause *pause, err error) error {
	if !pause.wasTooLong() {
		return s.judge(ctx, session, err)
	}
	if s.process.isStopped() {
		return ErrStopped
	}
	s.process.suspect(session)
	return fmt.Errorf("%w: no message came for %s", context.DeadlineExceeded, pause.longest)
}

// pause limits the time of each wait for a plugin. The time in which the host uses a message does
// not count.
type pause struct {
	longest time.Duration
	timer   *time.Timer // nil if the context has a deadline
	over    chan struct{}
}

// newPause returns a pause that has begun. cancel is called when it has been too long.
func newPause(ctx context.Context, longest time.Duration, cancel func()) *pause {
	p := &pause{longest: longest, over: make(chan struct{}, 1)}
	if _, hasDeadline := ctx.Deadline(); !hasDeadline {
		p.timer = time.AfterFunc(longest, func() {
			select {
			case p.over <- struct{}{}:
			default:
			}
			cancel()
		})
	}
	return p
}

func (p *pause) begin() {
	if p.timer != nil {
		p.timer.Reset(p.longest)
	}
}

func (p *pause) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

func (p *pause) wasTooLong() bool { return len(p.over) > 0 }
