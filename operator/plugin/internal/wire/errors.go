package wire

import (
	"context"
	"errors"
	"net"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// Status returns an error of an implementation for the wire. Its code is DeadlineExceeded if the
// error reports an expired deadline and has no detail, and Unknown otherwise.
func Status(err error) error {
	f := failure(err)
	code := codes.Unknown
	if f.GetCause() == Cause_CAUSE_RETURNED && f.GetDetail() == nil && isDeadline(err) {
		code = codes.DeadlineExceeded
	}
	s := status.New(code, err.Error())
	detailed, failed := s.WithDetails(f)
	if failed != nil {
		return s.Err()
	}
	return detailed.Err()
}

// isDeadline reports whether an error is a timeout: of a context, of a connection, or of a call
// over gRPC.
func isDeadline(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout() || status.Code(err) == codes.DeadlineExceeded
}

func failure(err error) *Failure {
	f := &Failure{Cause: Cause_CAUSE_RETURNED, Message: err.Error()}
	var returned *contract.ReturnedError
	var panicked *contract.PanicError
	var size *contract.SizeError
	switch {
	case errors.As(err, &size):
		f.Cause, f.Size, f.Limit = Cause_CAUSE_TOO_LARGE, uint64(max(size.Size, 0)), uint64(max(size.Limit, 0))
	case errors.As(err, &panicked):
		f.Cause, f.Message = Cause_CAUSE_PANICKED, panicked.Message
	case errors.As(err, &returned) && returned.Detail != nil:
		if detail, err := anypb.New(returned.Detail); err == nil {
			f.Detail = detail
		}
	}
	return f
}

// Returned returns the error of the implementation from the error of a call. It is nil for an error
// of the connection between host and plugin.
func Returned(err error) error {
	for _, detail := range status.Convert(err).Details() {
		f, ok := detail.(*Failure)
		if !ok {
			continue
		}
		switch f.GetCause() {
		case Cause_CAUSE_TOO_LARGE:
			return &contract.SizeError{What: "answer", Size: int(f.GetSize()), Limit: int(f.GetLimit())}
		case Cause_CAUSE_PANICKED:
			return &contract.PanicError{Message: f.GetMessage()}
		}
		returned := &contract.ReturnedError{Message: f.GetMessage()}
		if detail, err := f.GetDetail().UnmarshalNew(); err == nil { // of a version that the host knows
			returned.Detail = detail
		}
		return returned
	}
	return nil
}
