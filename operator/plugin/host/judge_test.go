package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/launch"
	"github.com/stratakube/strata/operator/plugin/internal/serving"
	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

// TestJudge checks errors of the connection between host and plugin, also for plugins that do not
// use this framework.
func TestJudge(t *testing.T) {
	tests := []struct {
		reason string
		err    error
		want   func(error) bool
	}{
		{"nothing is nothing", nil, func(err error) bool { return err == nil }},
		{"an answer that only gRPC has found too large", status.Error(codes.ResourceExhausted, "grpc: received message larger than max (9 vs. 7)"), func(err error) bool {
			var size *contract.SizeError
			return errors.As(err, &size) && *size == contract.SizeError{What: "answer", Size: 9, Limit: 7}
		}},
		{"one of which it does not say the size", status.Error(codes.ResourceExhausted, "x"), func(err error) bool {
			var size *contract.SizeError
			return errors.As(err, &size) && *size == contract.SizeError{What: "answer", Limit: 7}
		}},
		{"a deadline that the plugin has seen first", status.Error(codes.DeadlineExceeded, "x"), func(err error) bool {
			return errors.Is(err, context.DeadlineExceeded)
		}},
		{"a lost connection", status.Error(codes.Unavailable, "x"), func(err error) bool {
			return errors.As(err, new(*InterruptedError))
		}},
		{"a connection that was closed because the process had ended", status.Error(codes.Canceled, "x"), func(err error) bool {
			return errors.As(err, new(*InterruptedError))
		}},
		{"a deadline that the implementation returned", wire.Status(fmt.Errorf("ask: %w", context.DeadlineExceeded)), func(err error) bool {
			return errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), "ask")
		}},
		{"any other status", status.Error(codes.Unimplemented, "no such method"), func(err error) bool {
			return err.Error() == "no such method"
		}},
		{"an error of the plugin, whatever its words", wire.Status(errors.New("unavailable")), func(err error) bool {
			var returned *contract.ReturnedError
			return errors.As(err, &returned) && returned.Message == "unavailable"
		}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			i, session := inMemory(t)
			if got := i.judge(t.Context(), session, test.err); !test.want(got) {
				t.Errorf("judged %v", got)
			}
		})
	}
}

// TestOwnersOfLargeMessages checks that the error names the request if that exceeds the limit,
// and the answer otherwise.
func TestOwnersOfLargeMessages(t *testing.T) {
	i, _ := inMemory(t)
	message := &wire.OpenRequest{Config: map[string]string{"a": "bcd"}}
	size := proto.Size(message)
	for limit, want := range map[int]contract.SizeError{
		size - 1: {What: "request", Size: size, Limit: size - 1},
		size:     {What: "answer", Size: 9, Limit: size},
	} {
		var got *contract.SizeError
		if err := i.sized(message, fmt.Errorf("call: %w", &contract.SizeError{What: "answer", Size: 9, Limit: limit})); !errors.As(err, &got) || *got != want {
			t.Errorf("error = %v, want %v", err, &want)
		}
	}
	if other := errors.New("x"); i.sized(message, other) != other {
		t.Error("another error is changed")
	}
}

// inMemory returns an instance with a session, whose process is stopped with the test.
func inMemory(t *testing.T) (*instance, *launch.Session) {
	t.Helper()
	s := &serving.Server{}
	s.Add(serving.Registration{Served: contract.Served{Name: "a"}, Terms: &contract.Terms{Service: "strata.a.v1.A", Domain: "strata.dev"}})
	session, err := (&launch.Memory{Server: s, Limit: 700}).Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := newProcess(Plugin{}, must(Options{MessageLimit: 7, Unlocked: true}.complete()), nil, nil)
	t.Cleanup(func() {
		p.stop(context.Background())
		session.Kill()
	})
	return newInstance(p, &contract.Terms{}, "a", nil), session
}

// TestDeadlinesThatPluginSeesFirst checks that it is unknown whether the call took effect, and
// that a plugin that then does not answer is ended. The session of this test has lost its
// connection, so that the check for a hang fails.
func TestDeadlinesThatPluginSeesFirst(t *testing.T) {
	tests := []struct {
		reason string
		ctx    func(context.Context) context.Context
		err    error
		isLate bool
	}{
		{"its own deadline, and the host's is far", asItIs, wire.Status(context.DeadlineExceeded), true},
		{"its own words after the host's deadline", overdueOf, wire.Status(errors.New("gave up")), true},
		{"its own detail after the host's deadline", overdueOf, wire.Status(contract.WithDetail("gave up", &wire.ListRequest{})), true},
		{"a lost connection after the host's deadline", overdueOf, status.Error(codes.Unavailable, "x"), true},
		{"its own words before the host's deadline", early, wire.Status(errors.New("gave up")), false},
		{"its own words, and no deadline of the host", asItIs, wire.Status(errors.New("gave up")), false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			i, session := inMemory(t)
			_ = session.Conn.Close()
			err := i.judge(test.ctx(t.Context()), session, test.err)
			if errors.Is(err, context.DeadlineExceeded) != test.isLate {
				t.Errorf("judged %v", err)
			}
			if !test.isLate {
				i.process.work.Wait()
				if !session.Alive() {
					t.Error("a plugin that answered in time was ended")
				}
				return
			}
			select {
			case <-session.Ended():
			case <-time.After(time.Minute):
				t.Error("nobody looked whether the plugin hangs")
			}
		})
	}
}

// TestCancelledCalls checks that a call which its caller cancels ends with the caller's error,
// whatever the plugin or the connection then reports, and that the plugin goes on.
func TestCancelledCalls(t *testing.T) {
	for _, err := range []error{status.Error(codes.Canceled, "x"), status.Error(codes.Unavailable, "x"), wire.Status(errors.New("gave up"))} {
		i, session := inMemory(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got := i.judge(ctx, session, err); !errors.Is(got, context.Canceled) || errors.As(got, new(*InterruptedError)) {
			t.Errorf("%v is judged %v", err, got)
		}
		i.process.work.Wait()
		if !session.Alive() {
			t.Errorf("%v: a plugin whose call was cancelled was ended", err)
		}
	}
}

// overdueOf returns a context whose deadline has passed and whose timer has not fired, as on a busy
// machine.
func overdueOf(ctx context.Context) context.Context {
	return deadline{ctx, time.Now().Add(-time.Nanosecond)}
}

// early returns a context whose deadline is far.
func early(ctx context.Context) context.Context { return deadline{ctx, time.Now().Add(time.Hour)} }

// deadline is a context with a deadline, and without a timer.
type deadline struct {
	context.Context
	at time.Time
}

func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

func asItIs(ctx context.Context) context.Context { return ctx }

func must(o Options, err error) Options {
	if err != nil {
		panic(err)
	}
	return o
}
