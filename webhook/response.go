package webhook

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/stratakube/strata/webhook/internal/pace"
)

// past is a deadline that interrupts at once.
var past = time.Unix(1, 0)

// arriving is the body of a review, whose client is measured while it is waited for.
type arriving struct {
	src   io.Reader
	meter *pace.Meter
	stop  func()
}

func (a *arriving) Read(into []byte) (int, error) {
	a.meter.Wait(a.stop)
	n, err := a.src.Read(into)
	if slow := a.meter.Moved(n); slow != nil {
		return n, slow
	}
	return n, err
}

// stopReading interrupts a read of a body.
func stopReading(w http.ResponseWriter, r *http.Request) func() {
	return func() {
		if errors.Is(http.NewResponseController(w).SetReadDeadline(past), http.ErrNotSupported) {
			_ = r.Body.Close()
		}
	}
}

// response sends an answer. It starts when the first byte is written.
type response struct {
	w     http.ResponseWriter
	meter *pace.Meter
	began bool
	// whole tells that all is written at once.
	whole bool
}

// chunk is how much is written at once, so that a client that takes a large answer is seen to take it.
const chunk = 64 << 10

func (o *response) Write(data []byte) (written int, err error) {
	o.begin()
	for len(data) > 0 && err == nil {
		var n int
		n, err = o.write(data[:min(len(data), chunk)])
		written, data = written+n, data[n:]
	}
	return written, err
}

func (o *response) write(data []byte) (int, error) {
	o.meter.Wait(func() { _ = http.NewResponseController(o.w).SetWriteDeadline(past) })
	n, err := o.w.Write(data)
	if slow := o.meter.Moved(n); slow != nil {
		return n, slow
	}
	return n, err
}

func (o *response) begin() {
	if o.began {
		return
	}
	o.began = true
	o.w.Header().Set("Content-Type", "application/json")
	if !o.whole {
		// The rest of the review is read while the answer goes out, which HTTP/1.1 must be told. HTTP/2 does so anyway.
		_ = http.NewResponseController(o.w).EnableFullDuplex()
	}
}
