package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// TestErrorsTravel compares the errors that a plugin returns with those that its host receives.
func TestErrorsTravel(t *testing.T) {
	tests := []struct {
		reason    string
		err, want error
	}{
		{"text", errors.New("no"), &contract.ReturnedError{Message: "no"}},
		{
			"a detail, with what was wrapped around it", fmt.Errorf("apply: %w", contract.WithDetail("no", &Served{Kind: "x"})),
			&contract.ReturnedError{Message: "apply: no", Detail: &Served{Kind: "x"}},
		},
		{"a panic", &contract.PanicError{Message: "oh"}, &contract.PanicError{Message: "oh"}},
	}
	for _, test := range tests {
		got := Returned(Status(test.err))
		if got == nil || got.Error() != test.want.Error() || fmt.Sprintf("%T", got) != fmt.Sprintf("%T", test.want) {
			t.Errorf("%s: got %#v, want %#v", test.reason, got, test.want)
			continue
		}
		want, _ := contract.Detail[*Served](test.want)
		if detail, _ := contract.Detail[*Served](got); !proto.Equal(detail, want) {
			t.Errorf("%s: detail %v, want %v", test.reason, detail, want)
		}
	}
}

func TestDetailThatHostDoesNotKnow(t *testing.T) {
	s, err := status.New(codes.Unknown, "x").WithDetails(&Failure{
		Message: "no", Detail: &anypb.Any{TypeUrl: "type.googleapis.com/strata.provider.v9.Failure", Value: []byte{1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var returned *contract.ReturnedError
	if !errors.As(Returned(s.Err()), &returned) || returned.Message != "no" || returned.Detail != nil {
		t.Errorf("got %#v, want the message alone", returned)
	}
}

func TestErrorsThatAreNotOfPlugin(t *testing.T) {
	for _, err := range []error{nil, errors.New("x"), status.Error(codes.Unavailable, "x")} {
		if got := Returned(err); got != nil {
			t.Errorf("Returned(%v) = %v, want none", err, got)
		}
	}
}

// TestCodesOfDeadlines checks that a host receives an expired deadline of the plugin, however the
// error is wrapped, unless the implementation sets a detail.
func TestCodesOfDeadlines(t *testing.T) {
	for _, test := range []struct {
		reason string
		err    error
		want   codes.Code
	}{
		{"that of a context", context.DeadlineExceeded, codes.DeadlineExceeded},
		{"wrapped", fmt.Errorf("apply: %w", context.DeadlineExceeded), codes.DeadlineExceeded},
		{"joined with others", errors.Join(errors.New("no"), context.DeadlineExceeded), codes.DeadlineExceeded},
		{"that of a connection", &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, codes.DeadlineExceeded},
		{"that of another call over gRPC", fmt.Errorf("ask: %w", status.Error(codes.DeadlineExceeded, "x")), codes.DeadlineExceeded},
		{"another status", status.Error(codes.NotFound, "x"), codes.Unknown},
		{"text", errors.New("context deadline exceeded"), codes.Unknown},
		{"with a detail", errors.Join(context.DeadlineExceeded, contract.WithDetail("no", &Served{Kind: "x"})), codes.Unknown},
		{"a panic", errors.Join(context.DeadlineExceeded, &contract.PanicError{Message: "oh"}), codes.Unknown},
	} {
		sent := Status(test.err)
		if got := status.Code(sent); got != test.want {
			t.Errorf("%s: code %v, want %v", test.reason, got, test.want)
		}
		if Returned(sent) == nil {
			t.Errorf("%s: what the plugin returned is lost", test.reason)
		}
	}
}
