package webhook

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/pace"
	"github.com/stratakube/strata/webhook/telemetry"
)

// Path is the usual path of conversions.
const Path = "/convert"

// Options configure a handler. The zero value is useful: it has the default limits and no
// telemetry.
type Options struct {
	Limits    Limits
	Telemetry *telemetry.Telemetry
}

// Handler answers conversion reviews with an engine.
type Handler struct {
	engine    engine.Engine
	limits    Limits
	telemetry *telemetry.Telemetry
	gate      *gate
	routes    routes
}

// New makes a handler for an engine. Limits.Check finds limits that contradict each other; New does
// not check them.
func New(e engine.Engine, options Options) *Handler {
	limits := options.Limits.orDefault()
	return &Handler{engine: e, limits: limits, telemetry: options.Telemetry, gate: newGate(limits)}
}

// Check reports whether the handler can convert. It converts an empty object of every version that
// the handler serves.
func (h *Handler) Check(ctx context.Context) error { return engine.Check(ctx, h.engine) }

// ServeHTTP answers one review.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status, problem := h.refuses(r); problem != nil {
		h.refuse(w, r, status, problem)
		return
	}
	growStack(false)
	h.admit(w, r)
}

// admit answers one review if the gate admits it.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) {
	x := exchanges.Get().(*exchange)
	defer x.done()
	x.meter = pace.New(h.limits.rate())
	if err := h.gate.begin(x); err != nil {
		h.refuseBusy(w, r, err)
		return
	}
	defer h.gate.end(x)
	h.telemetry.InFlight(1, 0)
	defer h.telemetry.InFlight(-1, 0)
	x.serve(h, w, r)
}

// refuses checks the headers of a request, before its body is read.
func (h *Handler) refuses(r *http.Request) (status int, problem error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	encoding := r.Header.Get("Content-Encoding")
	switch {
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, fmt.Errorf("a review is sent with POST, not %.20q", r.Method)
	case r.Header.Get("Content-Type") != "" && (err != nil || media != "application/json"):
		return http.StatusUnsupportedMediaType, fmt.Errorf("a review is application/json, not %.100q", r.Header.Get("Content-Type"))
	case encoding != "" && encoding != "identity":
		return http.StatusUnsupportedMediaType, fmt.Errorf("a review is not encoded, and this one is: %.20q", encoding)
	case r.ContentLength > h.limits.BodyBytes:
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the review is longer than %d bytes", h.limits.BodyBytes)
	}
	return 0, nil
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, status int, problem error) {
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	http.Error(w, problem.Error(), status)
	h.telemetry.End(h.telemetry.Begin(r), &telemetry.Review{Result: telemetry.Refused, Began: time.Now(), Err: problem})
}

func (h *Handler) refuseBusy(w http.ResponseWriter, r *http.Request, problem error) {
	h.askToRetry(w, problem)
	h.telemetry.End(h.telemetry.Begin(r), &telemetry.Review{Result: telemetry.Busy, Began: time.Now(), Err: problem})
}

// askToRetry asks a client to try again later.
func (h *Handler) askToRetry(w http.ResponseWriter, problem error) {
	w.Header().Set("Retry-After", strconv.Itoa(int(max(1, h.limits.RetryAfter/time.Second))))
	http.Error(w, problem.Error(), http.StatusServiceUnavailable)
}
