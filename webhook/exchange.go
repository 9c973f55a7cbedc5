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

// exchange is one review and its answer. Exchanges are used again, with their first buffers.
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
	// ahead is how many bytes are awaited before an object is converted that has not been read, and expected how many of
	// them it is allowed.
	ahead, expected int
	// spare are buffers of the least size that nobody uses.
	spare [][]byte
	// holds is what the exchange has of each pool of the gate.
	holds [pools]atomic.Int64
	tell  telemetry.Review
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// done gives an exchange back, with nothing in it that belongs to the review.
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
	x.head, x.count, x.tell = review.Head{}, 0, telemetry.Review{}
	exchanges.Put(x)
}

// slack is what a buffer has more than a review needs, so that its end is found without a larger one.
const slack = 8 << 10

// begin prepares an exchange. Nothing is taken for what a client only announces.
func (x *exchange) begin(ctx context.Context, h *Handler, body io.Reader, announced int64, out io.Writer) {
	x.handler, x.ctx, x.body = h, ctx, body
	x.reader.Reset(x.first(), body, h.limits.ofReview())
	x.reader.Use(x)
	x.writer.Reset(x.first(), out)
	x.ahead = int(min(max(announced, firstBuffer-slack), maxPooled-slack, h.limits.ObjectBytes))
	x.expected = x.ahead + slack
	x.tell = telemetry.Review{Began: time.Now()}
}

func (x *exchange) serve(h *Handler, w http.ResponseWriter, r *http.Request) {
	ctx := h.telemetry.Begin(r)
	body := http.MaxBytesReader(w, r.Body, h.limits.BodyBytes)
	out := &response{w: w, meter: x.meter}
	x.begin(ctx, h, &arriving{src: body, meter: x.meter, stop: stopReading(w, r)}, r.ContentLength, out)
	err := x.answer(ctx, out)
	x.tell.Err = err
	x.tell.Received = x.reader.Offset()
	x.tell.Sent = x.writer.Size()
	h.telemetry.End(ctx, &x.tell)
	if x.tell.Result == telemetry.Abandoned {
		// Nobody listens any more. What stands half written must not look whole.
		panic(http.ErrAbortHandler)
	}
}

// answer answers a review. Once its head is known, whatever is wrong is an answer, since that is what users get to see.
func (x *exchange) answer(ctx context.Context, out *response) (err error) {
	x.head, err = x.reader.Head()
	if err != nil {
		return x.refuse(out, err)
	}
	err = x.respond(ctx)
	switch {
	case x.tell.Result == telemetry.Abandoned:
		return err
	case x.writer.HasSent():
	case errors.Is(err, errBusy), errors.Is(err, pace.ErrSlow):
		return x.refuse(out, err)
	case err != nil:
		// A client that is cut off while it sends may not look at the answer.
		_, _ = io.Copy(io.Discard, x.body)
	}
	return errors.Join(err, x.send(out))
}

// refuse answers what is no review, or comes at the wrong time.
func (x *exchange) refuse(out *response, err error) error {
	x.writer.Reset(x.writer.Buffer(), nil)
	status := statusOf(err)
	switch status {
	case http.StatusServiceUnavailable:
		x.tell.Result = telemetry.Busy
		x.handler.comeBack(out.w, err)
		return err
	case http.StatusRequestTimeout:
		x.tell.Result = telemetry.Slow
		out.w.Header().Set("Connection", "close")
	default:
		x.tell.Result = telemetry.Refused
	}
	http.Error(out.w, err.Error(), status)
	return err
}

// respond writes the answer to a review whose head is known. The error is what the answer says too, unless nobody waits
// for it any more.
func (x *exchange) respond(ctx context.Context) error {
	x.tell.UID, x.tell.Desired = x.head.UID, x.head.Desired
	x.writer.Begin(x.head.UID)
	err := x.objects(ctx)
	switch {
	case ctx.Err() != nil:
		x.tell.Result = telemetry.Abandoned
		return context.Cause(ctx)
	case errors.Is(err, pace.ErrSlow) && x.writer.HasSent():
		x.tell.Result = telemetry.Abandoned
		return err
	}
	given := x.writer.Buffer()
	if err != nil {
		x.tell.Result = telemetry.Failure
		x.writer.Fail(err.Error())
	} else {
		x.tell.Result = telemetry.Success
		x.writer.Succeed()
	}
	x.adopt(x.writer.Buffer(), given)
	return err
}

// send sends what is left of the answer, with its length if that is all.
func (x *exchange) send(out *response) error {
	if !x.writer.HasSent() {
		out.w.Header().Set("Content-Length", strconv.FormatInt(x.writer.Size(), 10))
		out.whole = true
	}
	if err := x.writer.Close(); err != nil {
		x.tell.Result = telemetry.Abandoned
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

// objects converts all objects, in their order, up to the first that fails.
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
	if done, err := x.eagerly(ctx); done || err != nil {
		return err
	}
	object, err := x.reader.Object()
	if err != nil {
		return x.unread(err)
	}
	w := x.workFor(object)
	if err := x.work(w, len(object.Raw)); err != nil {
		return err
	}
	given := x.writer.Buffer()
	converted, err := x.convert(ctx, object)
	x.rest(w)
	if err != nil {
		namespace, name := object.Name()
		return x.about(object.APIVersion, object.Kind, namespace, name, err)
	}
	return x.add(converted, given)
}

// add adds a converted object, with the buffer that it stands in now, to the answer.
func (x *exchange) add(converted, given []byte) error {
	x.adopt(converted, given)
	if err := x.writer.Add(converted); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// unread names the object in an error of reading it, where its name is known.
func (x *exchange) unread(err error) error {
	var large *review.TooLargeError
	if errors.As(err, &large) {
		return x.about(large.APIVersion, large.Kind, large.Namespace, large.Name, err)
	}
	return err
}
