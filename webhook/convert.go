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

// convert returns the buffer of the answer with a converted object more.
func (x *exchange) convert(ctx context.Context, object review.Object) ([]byte, error) {
	if !object.IsObject() {
		return nil, errors.New("it is not an object")
	}
	if scan.Is(object.APIVersion, x.head.Desired) {
		x.tell.Passed++
		return append(x.writer.Next(), object.Raw...), nil
	}
	to, err := x.route(object)
	if err != nil {
		return nil, err
	}
	out, err := x.guarded(ctx, to, object.Raw)
	if err != nil {
		to.objects.Failed()
		return nil, err
	}
	to.objects.Converted()
	x.noted(to)
	return out, nil
}

// eagerly converts the next object while it is read, where that can be done: the route is known, and nothing is wrong with the
// object, nor rare. It reports whether it did.
func (x *exchange) eagerly(ctx context.Context) (bool, error) {
	text := x.reader.Ahead(x.ahead)
	text = text[:min(len(text), x.expected, int(x.handler.limits.ObjectBytes))]
	to := x.known(review.Begins(text))
	if to == nil || to.eager == nil {
		return false, nil
	}
	w := x.handler.gate.workOf(len(text), 0)
	if err := x.work(w, min(len(text), maxPooled/4)); err != nil {
		return false, err
	}
	given := x.writer.Buffer()
	converted, length := to.guardedly(ctx, x.writer.Next(), text, x.reader.Room())
	x.rest(w)
	if length == 0 {
		return false, nil
	}
	x.reader.Take(length)
	x.ahead = min(max(x.ahead/2, 2*length), maxPooled/2)
	x.expected = max(x.expected/2, 2*length)
	to.objects.Converted()
	x.noted(to)
	return true, x.add(converted, given)
}

// guardedly converts the object that text begins with. The length is zero if it does not, or panics: whatever it was, it
// happens again, and is reported then.
func (to *route) guardedly(ctx context.Context, dst, text []byte, room int) (out []byte, length int) {
	defer func() {
		if recover() != nil {
			length = 0
		}
	}()
	return to.eager.AppendFirst(ctx, dst, text, room)
}

// noted keeps for the record where objects came from.
func (x *exchange) noted(to *route) {
	if x.tell.Converted == 0 {
		x.tell.APIVersion, x.tell.Kind = to.apiVersion, to.pair.Kind.Kind
	}
	x.tell.Converted++
	x.tell.Steps = max(x.tell.Steps, to.steps)
}

// guarded converts, and makes an error of a panic.
func (x *exchange) guarded(ctx context.Context, to *route, object []byte) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = x.panicked(ctx, to, r)
		}
	}()
	return to.converter.Append(ctx, x.writer.Next(), object)
}

// panicked makes an error of a panic, without what it says: that may be anything.
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

// about names the object that an error is about. Its version and kind are JSON.
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
