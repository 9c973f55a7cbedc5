package contract

import (
	"context"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Method describes how a server calls a method of the interface T.
type Method[T any] struct {
	name      string
	signature func() signature // called late: descriptors are registered after variables are initialized
	handle    func(ctx context.Context, impl T, decode func(any) error) (proto.Message, error)
}

// message is a pointer to M that is a protobuf message.
type message[M any] interface {
	*M
	proto.Message
}

// Unary returns the method with a name. call is a method expression: contract.Unary("Observe",
// Provider.Observe).
func Unary[T, In, Out any, I message[In], O message[Out]](name string, call func(T, context.Context, I) (O, error)) Method[T] {
	return Method[T]{
		name:      name,
		signature: func() signature { return signature{fullName(I(new(In))), fullName(O(new(Out)))} },
		handle: func(ctx context.Context, impl T, decode func(any) error) (proto.Message, error) {
			in := I(new(In))
			if err := decode(in); err != nil {
				return nil, err
			}
			out, err := call(impl, ctx, in)
			if err != nil {
				return nil, err
			}
			if out == nil {
				out = new(Out)
			}
			return out, nil
		},
	}
}

func fullName(m proto.Message) protoreflect.FullName { return m.ProtoReflect().Descriptor().FullName() }

// Caller calls the methods of one instance of a plugin, in any process.
type Caller interface {
	Call(ctx context.Context, method string, in, out proto.Message) error
}

// Call implements a method of a client:
//
//	func (c client) Observe(ctx context.Context, in *ObserveRequest) (*ObserveResponse, error) {
//		return contract.Call[ObserveResponse](ctx, c, "Observe", in)
//	}
func Call[Out any, O message[Out]](ctx context.Context, c Caller, method string, in proto.Message) (O, error) {
	out := O(new(Out))
	if err := c.Call(ctx, method, in, out); err != nil {
		return nil, err
	}
	return out, nil
}
