package host

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/launch"
	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

// instance is one configuration of one name in one version. It outlives the processes that serve
// it.
type instance struct {
	process *process
	terms   *contract.Terms
	served  contract.Served
	config  map[string]string

	bound   atomic.Pointer[binding]
	binding chan struct{} // held while the next binding is made
}

// binding is an instance in one process.
type binding struct {
	session *launch.Session
	header  metadata.MD // identifies the instance; nil for the first, since a header costs several per cent of a call
}

func newInstance(p *process, terms *contract.Terms, name string, config map[string]string) *instance {
	return &instance{
		process: p, terms: terms, served: contract.Served{ID: terms.ID, Name: name}, config: config, binding: make(chan struct{}, 1),
	}
}

// Call implements contract.Caller.
func (i *instance) Call(ctx context.Context, method string, in, out proto.Message) error {
	manner, err := i.manner(method)
	if err != nil {
		return err
	}
	if _, hasDeadline := ctx.Deadline(); !hasDeadline {
		limited, cancel := context.WithTimeout(ctx, i.process.options.CallTimeout)
		defer cancel()
		ctx = limited
	}
	err = i.once(ctx, manner, in, out)
	if err == nil {
		return nil
	}
	if isRepeatable(err, manner) && ctx.Err() == nil {
		err = i.once(ctx, manner, in, out)
	}
	return i.describe(method, in, err)
}

func (i *instance) manner(method string) (contract.Manner, error) {
	manner, ok := i.terms.Methods[method]
	if !ok {
		return manner, fmt.Errorf("%s has no method %s", i.terms.ID, method)
	}
	return manner, nil
}

// describe adds to an error which call failed.
func (i *instance) describe(method string, in proto.Message, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", i.served, method, i.sized(in, err))
}

// sized sets in a SizeError whether the request was too large. gRPC detects large messages, so that
// sizes are computed only after an error.
func (i *instance) sized(in proto.Message, err error) error {
	var size *contract.SizeError
	if n := proto.Size(in); errors.As(err, &size) && n > size.Limit {
		return &contract.SizeError{What: "request", Size: n, Limit: size.Limit}
	}
	return err
}

// isRepeatable reports whether a call that the end of the plugin interrupted may be repeated: only
// if the author of the version declared so. After a connection has closed, it is unknown whether a
// call was sent.
func isRepeatable(err error, manner contract.Manner) bool {
	var interrupted *InterruptedError
	return manner.Idempotent && errors.As(err, &interrupted)
}

func (i *instance) once(ctx context.Context, manner contract.Manner, in, out proto.Message) error {
	b, err := i.bind(ctx)
	if err != nil {
		return err
	}
	return i.judge(ctx, b.session, b.session.Conn.Invoke(b.named(ctx), manner.Path, in, out))
}

// named adds the header that identifies the instance.
func (b *binding) named(ctx context.Context) context.Context {
	if b.header == nil {
		return ctx
	}
	return metadata.NewOutgoingContext(ctx, b.header)
}

// bind makes the instance in the present process, unless it exists.
func (i *instance) bind(ctx context.Context) (*binding, error) {
	s, err := i.process.session(ctx)
	if err != nil {
		return nil, err
	}
	if b := i.bound.Load(); b != nil && b.session == s {
		return b, nil
	}
	select {
	case i.binding <- struct{}{}:
		defer func() { <-i.binding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if b := i.bound.Load(); b != nil && b.session == s {
		return b, nil
	}
	opened, err := s.Open(ctx, i.served, i.config)
	if err := i.judge(ctx, s, err); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	b := &binding{session: s}
	if !opened.GetUnnamed() {
		b.header = metadata.Pairs(wire.InstanceHeader, opened.GetInstance())
	}
	i.bound.Store(b)
	return b, nil
}

// judge converts an error of gRPC.
func (i *instance) judge(ctx context.Context, s *launch.Session, err error) error {
	if err == nil {
		return nil
	}
	code := status.Code(err)
	switch returned := wire.Returned(err); {
	case isOver(ctx), code == codes.DeadlineExceeded:
		return i.late(ctx, s, returned)
	case returned != nil:
		return returned
	case i.process.isStopped():
		return ErrStopped
	case code == codes.Unavailable, code == codes.Canceled: // the connection broke, or we closed it because the process has ended
		s.Bury()
		return &InterruptedError{Plugin: i.process.path, Why: s.Why()}
	case code == codes.ResourceExhausted:
		return &contract.SizeError{What: "answer", Size: sizeIn(status.Convert(err).Message()), Limit: i.process.options.MessageLimit}
	}
	return errors.New(status.Convert(err).Message())
}

// isOver reports whether a context has ended, or its deadline has passed. On a busy machine a
// plugin can see the deadline, and answer, before the timer of the host's context fires.
func isOver(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	deadline, hasDeadline := ctx.Deadline()
	return hasDeadline && !time.Now().Before(deadline)
}

// late handles a call whose deadline has expired, or whose plugin reports that. It is unknown
// whether the call took effect, and the plugin may hang. returned is the plugin's answer, or nil.
func (i *instance) late(ctx context.Context, s *launch.Session, returned error) error {
	if i.process.isStopped() {
		return ErrStopped
	}
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	i.process.suspect(s)
	if returned == nil || returned.Error() == context.DeadlineExceeded.Error() {
		return context.DeadlineExceeded
	}
	return fmt.Errorf("%w: the plugin returned: %s", context.DeadlineExceeded, returned)
}

var larger = regexp.MustCompile(`message larger than max \((\d+) vs`)

// sizeIn returns the size in gRPC's message about a message that is too large; 0 for other texts.
func sizeIn(message string) int {
	found := larger.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	size, _ := strconv.Atoi(found[1]) // digits; a size that overflows is not known either
	return size
}
