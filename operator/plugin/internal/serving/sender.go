package serving

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// sender sends the messages of a stream. gRPC blocks it while the host is slower. After an error it
// sends nothing more, and the stream fails, also if the implementation ignores the error: a host
// must not take a stream with a gap for a whole one.
type sender struct {
	stream grpc.ServerStream
	limit  int
	failed error
}

func (s *sender) send(m proto.Message) error {
	if s.failed == nil {
		s.failed = s.stream.Context().Err()
	}
	if s.failed == nil {
		s.failed = s.stream.SendMsg(m)
	}
	if status.Code(s.failed) == codes.ResourceExhausted {
		s.failed = &contract.SizeError{What: "answer", Size: proto.Size(m), Limit: s.limit}
	}
	return s.failed
}
