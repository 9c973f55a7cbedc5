package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

// Service serves the registrations of a Server.
type Service struct {
	server    *Server
	limit     int
	instances instances
}

// NewService returns a service whose messages have at most limit bytes.
func NewService(s *Server, limit int) *Service { return &Service{server: s, limit: limit} }

// Options returns the options of the gRPC server that the service is attached to.
func (s *Service) Options() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.MaxRecvMsgSize(s.limit), grpc.MaxSendMsgSize(s.limit), grpc.NumStreamWorkers(workers)}
}

// workers is the number of goroutines that keep their stacks. A new goroutine grows its stack in
// each call, which takes more than a tenth of a short one. Further calls get a new goroutine.
const workers = 8

// Attach adds the services of all kinds and versions, and the one that lists them.
func (s *Service) Attach(to grpc.ServiceRegistrar) {
	isAttached := map[string]bool{}
	for _, r := range s.server.registrations {
		if !isAttached[r.Terms.Service] {
			isAttached[r.Terms.Service] = true
			to.RegisterService(s.describe(r.Terms), s)
		}
	}
	to.RegisterService(s.lister(), s)
}

// Close ends all instances.
func (s *Service) Close() error { return s.instances.close() }

// describe returns the gRPC service of a version. The header of a call names the instance.
func (s *Service) describe(terms *contract.Terms) *grpc.ServiceDesc {
	d := &grpc.ServiceDesc{ServiceName: terms.Service, HandlerType: (*any)(nil)}
	for name, manner := range terms.Methods {
		handle := func(ctx context.Context, decode func(any) error, send contract.Send) error {
			handle, err := s.handler(ctx, terms, name)
			if err != nil {
				return err
			}
			return answer(ctx, name, handle, decode, send)
		}
		if manner.Streams {
			d.Streams = append(d.Streams, s.stream(name, handle))
		} else {
			d.Methods = append(d.Methods, method(name, handle))
		}
	}
	return d
}

// method returns a gRPC method that sends errors with their details.
func method(name string, handle contract.Handler) grpc.MethodDesc {
	return grpc.MethodDesc{
		MethodName: name,
		Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (out any, err error) {
			err = handle(ctx, decode, func(m proto.Message) error {
				out = m
				return nil
			})
			if err != nil {
				return nil, wire.Status(err)
			}
			return out, nil
		},
	}
}

// stream returns a gRPC method that sends any number of messages.
func (s *Service) stream(name string, handle contract.Handler) grpc.StreamDesc {
	return grpc.StreamDesc{
		StreamName: name, ServerStreams: true,
		Handler: func(_ any, stream grpc.ServerStream) error {
			out := &sender{stream: stream, limit: s.limit}
			err := handle(stream.Context(), stream.RecvMsg, out.send)
			if err == nil {
				err = out.failed
			}
			if err != nil {
				return wire.Status(err)
			}
			return nil
		},
	}
}

func (s *Service) handler(ctx context.Context, terms *contract.Terms, name string) (contract.Handler, error) {
	id := firstInstance
	if named := metadata.ValueFromIncomingContext(ctx, wire.InstanceHeader); len(named) > 0 {
		id = named[0]
	}
	i, ok := s.instances.find(id)
	if !ok || i.of != terms.ID {
		return nil, fmt.Errorf("there is no instance %s of %s", id, terms.ID)
	}
	return i.handlers[name], nil
}

// answer handles a call. A panic is an error of that call only: other calls of the process
// continue.
func answer(ctx context.Context, name string, handle contract.Handler, decode func(any) error, send contract.Send) (err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.ErrorContext(ctx, "panic", "method", name, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = &contract.PanicError{Message: fmt.Sprint(r)}
		}
	}()
	return handle(ctx, decode, send)
}

func (s *Service) lister() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "strata.plugin.v1.Plugin", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method("List", func(_ context.Context, decode func(any) error, send contract.Send) error {
			if err := decode(&wire.ListRequest{}); err != nil {
				return err
			}
			return send(s.list())
		}),
		method("Open", func(ctx context.Context, decode func(any) error, send contract.Send) error {
			return answer(ctx, "Open", s.open, decode, send)
		}),
	}}
}

func (s *Service) list() *wire.ListResponse {
	out := &wire.ListResponse{}
	for _, served := range s.server.Served() {
		out.Served = append(out.Served, wire.FromServed(served))
	}
	return out
}

// open implements Open.
func (s *Service) open(ctx context.Context, decode func(any) error, send contract.Send) error {
	in := &wire.OpenRequest{}
	if err := decode(in); err != nil {
		return err
	}
	served := wire.ToServed(in.GetServed())
	r, ok := s.server.registrations[served]
	if !ok {
		return fmt.Errorf("%s is not served", served)
	}
	handlers, closer, err := r.Open(ctx, in.GetConfig())
	if err != nil {
		return err
	}
	if handlers == nil {
		return errors.New("the factory returned no implementation")
	}
	id := s.instances.add(instance{of: r.ID, handlers: handlers, closer: closer})
	return send(&wire.OpenResponse{Instance: id, Unnamed: id == firstInstance})
}
