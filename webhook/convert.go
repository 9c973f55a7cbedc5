package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/review"
	"github.com/stratakube/strata/webhook/internal/scan"
)

// convert converts an object, and returns the buffer of the answer with the result appended.
// tried is the earlier attempt to convert it.
func (x *exchange) convert(ctx context.Context, object review.Object, tried attempt) ([]byte, error) {
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
	out, err := x.appendConverted(ctx, to, tried, object.Raw)
	if err != nil {
		to.objects.Failed()
		return nil, err
	}
	to.objects.Converted()
	x.recordConversion(to)
	return out, nil
}

// attempt is the result of converting an object before it was read.
type attempt struct {
	// to is the route; nil if there was no attempt.
	to      *route
	done    bool
	refused *engine.Refusal
	// panicked is the error of a panic.
	panicked error
}

// convertAhead converts the next object while it is read, if the route is known and the converter
// does not refuse the object.
func (x *exchange) convertAhead(ctx context.Context) (attempt, error) {
	text := x.reader.Ahead(x.ahead)
	text = text[:min(len(text), x.expected, int(x.handler.limits.ObjectBytes))]
	to := x.known(review.Begins(text))
	if to == nil || to.eager == nil {
		return attempt{}, nil
	}
	w := x.handler.gate.workOf(len(text), 0)
	if err := x.startWork(w, min(len(text), maxPooled/4)); err != nil {
		return attempt{}, err
	}
	given := x.writer.Buffer()
	converted, length, tried := x.tryFirst(ctx, to, text)
	x.endWork(w)
	if !tried.done {
		return tried, nil
	}
	x.reader.Take(length)
	x.ahead = min(max(x.ahead/2, 2*length), maxPooled/2)
	x.expected = max(x.expected/2, 2*length)
	to.objects.Converted()
	x.recordConversion(to)
	return tried, x.add(converted, given)
}

// tryFirst converts the object that text begins with.
func (x *exchange) tryFirst(ctx context.Context, to *route, text []byte) (out []byte, length int, tried attempt) {
	defer func() {
		if r := recover(); r != nil {
			tried = attempt{to: to, panicked: x.panicked(ctx, to, r)}
		}
	}()
	out, length, refused := to.eager.TryFirst(ctx, x.writer.Next(), text, x.reader.Room())
	return out, length, attempt{to: to, done: refused == nil, refused: refused}
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

// appendConverted converts an object, and returns a panic as an error. A converter that has tried
// the object does not get it again.
func (x *exchange) appendConverted(ctx context.Context, to *route, tried attempt, object []byte) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = x.panicked(ctx, to, r)
		}
	}()
	next := to.converter
	switch {
	case tried.to != to: // the first names of the object led to another route
	case tried.panicked != nil:
		return nil, tried.panicked
	case !tried.refused.IsCut:
		if next = tried.refused.Next; next != nil {
			to.refused(tried.refused.Reason)
		}
	}
	out, last, err := engine.Select(ctx, next, x.writer.Next(), object, to.refused)
	if last == nil {
		return out, err
	}
	if err := x.handler.gate.bound(last, object); err != nil {
		return nil, err
	}
	return last.Append(ctx, out, object)
}

// panicked returns an error for a panic. It leaves out the panic's text, which may contain values
// of the object.
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
