package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/stratakube/strata/webhook/review"
	"github.com/stratakube/strata/webhook/telemetry"
)

// exchange is one review and its answer. Exchanges are used again, with their buffers.
type exchange struct {
	handler *Handler
	reader  review.Reader
	writer  review.Writer
	head    review.Head
	count   int
	key     []byte
	// ahead is how many bytes are awaited before an object is converted that has not been read.
	ahead int
	tell  telemetry.Review
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// maxPooled is how large a buffer may be that is kept for the next review.
const maxPooled = 1 << 20

// done gives an exchange back, with nothing in it that belongs to the review.
func (x *exchange) done() {
	in, out := pooled(x.reader.Buffer()), pooled(x.writer.Buffer())
	x.reader.Reset(in, nil, review.Limits{})
	x.writer.Reset(out, nil)
	x.handler, x.head, x.count, x.tell = nil, review.Head{}, 0, telemetry.Review{}
	exchanges.Put(x)
}

func pooled(buf []byte) []byte {
	if cap(buf) > maxPooled {
		return nil
	}
	return buf[:0]
}

// slack is what a buffer has more than a review needs, so that its end is found without a larger one.
const slack = 8 << 10

// begin takes the buffers that the exchange had, made large enough for all of a small review.
func (x *exchange) begin(h *Handler, w http.ResponseWriter, r *http.Request) *response {
	x.handler = h
	in := x.reader.Buffer()
	if want := min(r.ContentLength, maxPooled-slack) + slack; int64(cap(in)) < want {
		in = make([]byte, 0, want)
	}
	x.ahead = cap(in) - slack
	x.reader.Reset(in, http.MaxBytesReader(w, r.Body, h.limits.BodyBytes), h.limits.ofReview())
	out := &response{w: w}
	x.writer.Reset(x.writer.Buffer(), out)
	x.tell = telemetry.Review{Began: time.Now()}
	return out
}

func (x *exchange) serve(h *Handler, w http.ResponseWriter, r *http.Request) {
	out := x.begin(h, w, r)
	ctx := h.telemetry.Begin(r)
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
		x.tell.Result = telemetry.Refused
		http.Error(out.w, err.Error(), statusOf(err))
		return err
	}
	err = x.respond(ctx)
	if x.tell.Result == telemetry.Abandoned {
		return err
	}
	return errors.Join(err, x.send(out))
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
	case err != nil:
		x.tell.Result = telemetry.Failure
		x.writer.Fail(err.Error())
	default:
		x.tell.Result = telemetry.Success
		x.writer.Succeed()
	}
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
		converted, err := x.next(ctx)
		if err != nil {
			return err
		}
		if err := x.writer.Add(converted); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
}

// next returns the buffer of the answer with the next object more.
func (x *exchange) next(ctx context.Context) ([]byte, error) {
	if converted, ok := x.eagerly(ctx); ok {
		return converted, nil
	}
	object, err := x.reader.Object()
	if err != nil {
		return nil, err
	}
	converted, err := x.convert(ctx, object)
	if err != nil {
		return nil, x.about(object, err)
	}
	return converted, nil
}

// response sends an answer. It starts when the first byte is written.
type response struct {
	w     http.ResponseWriter
	began bool
	// whole tells that all is written at once.
	whole bool
}

func (o *response) Write(data []byte) (int, error) {
	if !o.began {
		o.began = true
		o.w.Header().Set("Content-Type", "application/json")
		if !o.whole {
			// The rest of the review is read while the answer goes out, which HTTP/1.1 must be told. HTTP/2 does so anyway.
			_ = http.NewResponseController(o.w).EnableFullDuplex()
		}
	}
	return o.w.Write(data)
}
