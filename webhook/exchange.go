package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stratakube/strata/webhook/internal/pace"
	"github.com/stratakube/strata/webhook/internal/review"
	"github.com/stratakube/strata/webhook/telemetry"
)

// exchange holds the state of one review and its answer. Exchanges are reused, with their first
// buffers.
type exchange struct {
	handler *Handler
	ctx     context.Context // of the review
	meter   *pace.Meter
	body    io.Reader
	reader  review.Reader
	writer  review.Writer
	head    review.Head
	count   int
	key     []byte
	// ahead is the number of bytes to wait for before an object is converted while it is read.
	// expected is the number of bytes that such an object may have.
	ahead, expected int
	// spare holds unused buffers of the smallest size.
	spare [][]byte
	// reserved is the memory that the exchange has taken from each pool of the gate.
	reserved [pools]atomic.Int64
	record   telemetry.Review
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// done returns an exchange to the pool, after removing everything of the review from it.
func (x *exchange) done() {
	if x.meter != nil {
		x.meter.End()
	}
	if x.handler != nil {
		in, out := x.reader.Buffer(), x.writer.Buffer()
		x.reader.Reset(nil, nil, review.Limits{})
		x.writer.Reset(nil, nil)
		x.Put(in)
		x.Put(out)
	}
	x.handler, x.ctx, x.meter, x.body = nil, nil, nil, nil
	x.head, x.count, x.record = review.Head{}, 0, telemetry.Review{}
	exchanges.Put(x)
}

// slack is the extra room of a buffer, so that the end of a review is found without a larger
// buffer.
const slack = 8 << 10

// begin prepares an exchange. It reserves nothing for a length that the client only announces.
func (x *exchange) begin(ctx context.Context, h *Handler, body io.Reader, announced int64, out io.Writer) {
	x.handler, x.ctx, x.body = h, ctx, body
	x.reader.Reset(x.first(), body, h.limits.ofReview())
	x.reader.Use(x)
	x.writer.Reset(x.first(), out)
	x.ahead = int(min(max(announced, firstBuffer-slack), maxPooled-slack, h.limits.ObjectBytes))
	x.expected = x.ahead + slack
	x.record = telemetry.Review{Began: time.Now()}
}

func (x *exchange) serve(h *Handler, w http.ResponseWriter, r *http.Request) {
	ctx := h.telemetry.Begin(r)
	body := http.MaxBytesReader(w, r.Body, h.limits.BodyBytes)
	out := &response{w: w, meter: x.meter}
	x.begin(ctx, h, &arriving{src: body, meter: x.meter, stop: stopReading(w, r)}, r.ContentLength, out)
	err := x.answer(ctx, out)
	x.record.Err = err
	x.record.Received = x.reader.Offset()
	x.record.Sent = x.writer.Size()
	h.telemetry.End(ctx, &x.record)
	if x.record.Result == telemetry.Abandoned {
		// The client has disconnected. Aborting prevents that the partial answer looks complete.
		panic(http.ErrAbortHandler)
	}
}

// answer answers a review. Once it has read the head, it reports every error within an answer,
// because users see that message.
func (x *exchange) answer(ctx context.Context, out *response) (err error) {
	x.head, err = x.reader.Head()
	if err != nil {
		return x.refuse(out, err)
	}
	err = x.respond(ctx)
	switch {
	case x.record.Result == telemetry.Abandoned:
		return err
	case x.writer.HasSent():
	case errors.Is(err, errBusy), errors.Is(err, pace.ErrSlow):
		return x.refuse(out, err)
	case err != nil:
		// A client that is cut off while it still sends might not read the answer.
		_, _ = io.Copy(io.Discard, x.body)
	}
	return errors.Join(err, x.send(out))
}

// refuse answers with an HTTP error a request that is not a valid review, that finds no room, or
// that is too slow.
func (x *exchange) refuse(out *response, err error) error {
	x.writer.Reset(x.writer.Buffer(), nil)
	status := statusOf(err)
	switch status {
	case http.StatusServiceUnavailable:
		x.record.Result = telemetry.Busy
		x.handler.askToRetry(out.w, err)
		return err
	case http.StatusRequestTimeout:
		x.record.Result = telemetry.Slow
		out.w.Header().Set("Connection", "close")
	default:
		x.record.Result = telemetry.Refused
	}
	http.Error(out.w, err.Error(), status)
	return err
}

// respond writes the answer to a review whose head has been read. It returns the error that the
// answer reports, or the reason why the client no longer waits.
func (x *exchange) respond(ctx context.Context) error {
	x.record.UID, x.record.Desired = x.head.UID, x.head.Desired
	x.writer.Begin(x.head.UID)
	err := x.objects(ctx)
	switch {
	case ctx.Err() != nil:
		x.record.Result = telemetry.Abandoned
		return context.Cause(ctx)
	case errors.Is(err, pace.ErrSlow) && x.writer.HasSent():
		x.record.Result = telemetry.Abandoned
		return err
	}
	given := x.writer.Buffer()
	if err != nil {
		x.record.Result = telemetry.Failure
		x.writer.Fail(err.Error())
	} else {
		x.record.Result = telemetry.Success
		x.writer.Succeed()
	}
	x.adopt(x.writer.Buffer(), given)
	return err
}

// send sends the rest of the answer. If nothing was sent before, it also sets the length.
func (x *exchange) send(out *response) error {
	if !x.writer.HasSent() {
		out.w.Header().Set("Content-Length", strconv.FormatInt(x.writer.Size(), 10))
		out.whole = true
	}
	if err := x.writer.Close(); err != nil {
		x.record.Result = telemetry.Abandoned
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

func statusOf(err error) int {
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, pace.ErrSlow):
		return http.StatusRequestTimeout
	case errors.Is(err, errBusy):
		return http.StatusServiceUnavailable
	default:
		return http.StatusBadRequest
	}
}

// objects converts all objects in order, and stops at the first that fails.
func (x *exchange) objects(ctx context.Context) error {
	for ; ; x.count++ {
		switch err := x.reader.More(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if err := x.next(ctx); err != nil {
			return err
		}
	}
}

// next adds the next object to the answer.
func (x *exchange) next(ctx context.Context) error {
	tried, err := x.convertAhead(ctx)
	if tried.done || err != nil {
		return err
	}
	object, err := x.reader.Object()
	if err != nil {
		return x.unread(err)
	}
	w := x.workFor(object)
	if err := x.startWork(w, len(object.Raw)); err != nil {
		return err
	}
	given := x.writer.Buffer()
	converted, err := x.convert(ctx, object, tried)
	x.endWork(w)
	if err != nil {
		namespace, name := object.Name()
		return x.about(object.APIVersion, object.Kind, namespace, name, err)
	}
	return x.add(converted, given)
}

// add adds a converted object to the answer. converted is the buffer with the object, and given
// the buffer before the conversion.
func (x *exchange) add(converted, given []byte) error {
	x.adopt(converted, given)
	if err := x.writer.Add(converted); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// unread names the object in an error of reading it, if its name is known.
func (x *exchange) unread(err error) error {
	var large *review.TooLargeError
	if errors.As(err, &large) {
		return x.about(large.APIVersion, large.Kind, large.Namespace, large.Name, err)
	}
	return err
}
