package webhook

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/stratakube/strata/webhook/internal/pace"
)

// past is a deadline that interrupts a call at once.
var past = time.Unix(1, 0)

// arriving is the body of a review. It measures the client while it waits for bytes.
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

// response sends an answer. It writes the header with the first byte.
type response struct {
	w     http.ResponseWriter
	meter *pace.Meter
	began bool
	// whole reports that the answer is written in one call.
	whole bool
}

// chunk is the largest number of bytes in one write, so that the meter notices a client that reads
// a large answer.
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
		// The handler reads the rest of the review while it sends the answer. HTTP/1.1 must
		// enable that; HTTP/2 always allows it.
		_ = http.NewResponseController(o.w).EnableFullDuplex()
	}
}
