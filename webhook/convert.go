package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"github.com/stratakube/strata/webhook/internal/review"
	"github.com/stratakube/strata/webhook/internal/scan"
)

// convert converts an object, and returns the buffer of the answer with the result appended.
func (x *exchange) convert(ctx context.Context, object review.Object) ([]byte, error) {
	if !object.IsObject() {
		return nil, errors.New("it is not an object")
	}
	if scan.Is(object.APIVersion, x.head.Desired) {
		x.record.Passed++
		return append(x.writer.Next(), object.Raw...), nil
	}
	to, err := x.route(object)
	if err != nil {
		return nil, err
	}
	out, err := x.appendConverted(ctx, to, object.Raw)
	if err != nil {
		to.objects.Failed()
		return nil, err
	}
	to.objects.Converted()
	x.recordConversion(to)
	return out, nil
}

// convertAhead converts the next object while it is read, and reports whether it did. It can if the
// route is known, and if the plan converts the object.
func (x *exchange) convertAhead(ctx context.Context) (bool, error) {
	text := x.reader.Ahead(x.ahead)
	text = text[:min(len(text), x.expected, int(x.handler.limits.ObjectBytes))]
	to := x.known(review.Begins(text))
	if to == nil || to.eager == nil {
		return false, nil
	}
	w := x.handler.gate.workOf(len(text), 0)
	if err := x.startWork(w, min(len(text), maxPooled/4)); err != nil {
		return false, err
	}
	given := x.writer.Buffer()
	converted, length := to.appendFirst(ctx, x.writer.Next(), text, x.reader.Room())
	x.endWork(w)
	if length == 0 {
		return false, nil
	}
	x.reader.Take(length)
	x.ahead = min(max(x.ahead/2, 2*length), maxPooled/2)
	x.expected = max(x.expected/2, 2*length)
	to.objects.Converted()
	x.recordConversion(to)
	return true, x.add(converted, given)
}

// appendFirst converts the object that text begins with. The length is zero if the converter does
// not convert it, or panics. The object is then read and converted again, and that reports the
// error.
func (to *route) appendFirst(ctx context.Context, dst, text []byte, room int) (out []byte, length int) {
	defer func() {
		if recover() != nil {
			length = 0
		}
	}()
	return to.eager.AppendFirst(ctx, dst, text, room)
}

// recordConversion adds a converted object to the record of the review, and the source version of
// the first.
func (x *exchange) recordConversion(to *route) {
	if x.record.Converted == 0 {
		x.record.APIVersion, x.record.Kind = to.apiVersion, to.pair.Kind.Kind
	}
	x.record.Converted++
	x.record.Steps = max(x.record.Steps, to.steps)
}

// appendConverted converts an object, and returns a panic as an error.
func (x *exchange) appendConverted(ctx context.Context, to *route, object []byte) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = x.panicked(ctx, to, r)
		}
	}()
	return to.converter.Append(ctx, x.writer.Next(), object)
}

// panicked makes an error of a panic. It leaves out the panic's text, which may hold values of the
// object.
func (x *exchange) panicked(ctx context.Context, to *route, value any) error {
	stack := make([]byte, 16<<10)
	stack = stack[:runtime.Stack(stack, false)]
	x.handler.telemetry.Panicked(ctx, slog.String("pair", to.pair.String()), slog.String("panic", whatOf(value)), slog.String("stack", string(stack)))
	return fmt.Errorf("the conversion panicked: %s", whatOf(value))
}

func whatOf(value any) string {
	var failed runtime.Error
	if err, ok := value.(error); ok && errors.As(err, &failed) {
		return failed.Error()
	}
	return fmt.Sprintf("%T", value)
}

// about adds to an error the object that it is about. The version and the kind are JSON.
func (x *exchange) about(apiVersion, kind []byte, namespace, name string, err error) error {
	if namespace != "" {
		name = namespace + "/" + name
	}
	return fmt.Errorf("convert %.100s %.300s of %.300s to %.300s (request.objects[%d]): %w",
		textOr(kind, "an object"), orUnnamed(name), textOr(apiVersion, "no version"), x.head.Desired, x.count, err)
}

func textOr(value []byte, otherwise string) string {
	if text := scan.Unquote(value); text != "" {
		return text
	}
	return otherwise
}

func orUnnamed(name string) string {
	if name == "" {
		return "without a name"
	}
	return name
}
