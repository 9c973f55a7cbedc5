package host

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/launch"
	"github.com/stratakube/strata/operator/plugin/internal/serving"
	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

// TestJudge is about errors that come from what lies between host and plugin, also of plugins that no framework of ours has
// made.
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
			s := &serving.Server{}
			s.Add(serving.Registration{Served: contract.Served{Name: "a"}, Terms: &contract.Terms{Service: "strata.a.v1.A"}})
			session, err := (&launch.Memory{Server: s, Limit: 700}).Launch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p := newProcess(Plugin{}, must(Options{MessageLimit: 7, Unlocked: true}.complete()), nil, nil)
			i := newInstance(p, &contract.Terms{}, "a", nil)
			if got := i.judge(t.Context(), session, test.err); !test.want(got) {
				t.Errorf("judged %v", got)
			}
			p.stop(t.Context())
			session.Kill()
		})
	}
}

func must(o Options, err error) Options {
	if err != nil {
		panic(err)
	}
	return o
}
