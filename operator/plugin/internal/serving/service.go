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
	for name := range terms.Methods {
		d.Methods = append(d.Methods, method(name, func(ctx context.Context, decode func(any) error) (proto.Message, error) {
			handle, err := s.handler(ctx, terms, name)
			if err != nil {
				return nil, err
			}
			return answer(ctx, name, handle, decode)
		}))
	}
	return d
}

// method returns a gRPC method that sends errors with their details.
func method(name string, handle contract.Handler) grpc.MethodDesc {
	return grpc.MethodDesc{
		MethodName: name,
		Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			out, err := handle(ctx, decode)
			if err != nil {
				return nil, wire.Status(err)
			}
			return out, nil
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
func answer(ctx context.Context, name string, handle contract.Handler, decode func(any) error) (out proto.Message, err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.ErrorContext(ctx, "panic", "method", name, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			out, err = nil, &contract.PanicError{Message: fmt.Sprint(r)}
		}
	}()
	return handle(ctx, decode)
}

func (s *Service) lister() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "strata.plugin.v1.Plugin", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method("List", func(_ context.Context, decode func(any) error) (proto.Message, error) {
			if err := decode(&wire.ListRequest{}); err != nil {
				return nil, err
			}
			return s.list(), nil
		}),
		method("Open", func(ctx context.Context, decode func(any) error) (proto.Message, error) {
			in := &wire.OpenRequest{}
			if err := decode(in); err != nil {
				return nil, err
			}
			return answer(ctx, "Open", func(ctx context.Context, _ func(any) error) (proto.Message, error) { return s.open(ctx, in) }, nil)
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

func (s *Service) open(ctx context.Context, in *wire.OpenRequest) (*wire.OpenResponse, error) {
	served := wire.ToServed(in.GetServed())
	r, ok := s.server.registrations[served]
	if !ok {
		return nil, fmt.Errorf("%s is not served", served)
	}
	handlers, closer, err := r.Open(ctx, in.GetConfig())
	if err != nil {
		return nil, err
	}
	if handlers == nil {
		return nil, errors.New("the factory returned no implementation")
	}
	id := s.instances.add(instance{of: r.ID, handlers: handlers, closer: closer})
	return &wire.OpenResponse{Instance: id, Unnamed: id == firstInstance}, nil
}
