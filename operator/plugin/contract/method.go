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
	handle    func(ctx context.Context, impl T, decode func(any) error, send Send) error
}

// Send sends one message. It blocks while the receiver is slower than the sender.
type Send func(proto.Message) error

// message is a pointer to M that is a protobuf message.
type message[M any] interface {
	*M
	proto.Message
}

// Unary returns a method that returns one message. call is a method expression:
// contract.Unary("Observe", Provider.Observe).
func Unary[T, In, Out any, I message[In], O message[Out]](name string, call func(T, context.Context, I) (O, error)) Method[T] {
	return method[T, In, I, O](name, false, func(impl T, ctx context.Context, in I, send Send) error {
		out, err := call(impl, ctx, in)
		if err != nil {
			return err
		}
		if out == nil {
			out = new(Out)
		}
		return send(out)
	})
}

// Stream returns a method that returns any number of messages. It calls its last parameter with
// each, and must return when that returns an error: contract.Stream("Read", Store.Read).
func Stream[T, In, Out any, I message[In], O message[Out]](name string, call func(T, context.Context, I, func(O) error) error) Method[T] {
	return method[T, In, I, O](name, true, func(impl T, ctx context.Context, in I, send Send) error {
		return call(impl, ctx, in, func(out O) error {
			if out == nil {
				out = new(Out)
			}
			return send(out)
		})
	})
}

func method[T, In any, I message[In], O proto.Message](name string, streams bool, call func(T, context.Context, I, Send) error) Method[T] {
	return Method[T]{
		name: name,
		signature: func() signature {
			var out O
			return signature{fullName(I(new(In))), fullName(out), streams}
		},
		handle: func(ctx context.Context, impl T, decode func(any) error, send Send) error {
			in := I(new(In))
			if err := decode(in); err != nil {
				return err
			}
			return call(impl, ctx, in, send)
		},
	}
}

func fullName(m proto.Message) protoreflect.FullName { return m.ProtoReflect().Descriptor().FullName() }

// Caller calls the methods of one instance of a plugin, in any process.
type Caller interface {
	// Call calls a method that returns one message, and decodes it into out.
	Call(ctx context.Context, method string, in, out proto.Message) error
	// Stream calls a method that returns any number of messages. It calls next for each of them,
	// with a function that decodes the message. An error of next ends the call, and is its error.
	Stream(ctx context.Context, method string, in proto.Message, next func(decode func(proto.Message) error) error) error
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

// Receive implements a method of a client that returns any number of messages. Each call of send
// has a message of its own.
//
//	func (c client) Read(ctx context.Context, in *ReadRequest, send func(*Piece) error) error {
//		return contract.Receive(ctx, c, "Read", in, send)
//	}
func Receive[Out any, O message[Out]](ctx context.Context, c Caller, method string, in proto.Message, send func(O) error) error {
	return c.Stream(ctx, method, in, func(decode func(proto.Message) error) error {
		out := O(new(Out))
		if err := decode(out); err != nil {
			return err
		}
		return send(out)
	})
}
