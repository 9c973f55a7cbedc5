package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/hotel"
	"github.com/stratakube/strata/webhook/telemetry"
)

// logged returns options with a log of all levels.
func logged(t *testing.T) (webhook.Options, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	tel, err := telemetry.New(telemetry.Options{Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	return webhook.Options{Telemetry: tel}, log
}

// reviewed is the log entry of a review.
type reviewed struct {
	Result, APIVersion, Kind string
	Converted, Passed        int
	Bytes                    int
}

func reviewIn(t *testing.T, log *bytes.Buffer) (entry reviewed) {
	t.Helper()
	if err := json.Unmarshal(log.Bytes(), &entry); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	return entry
}

// TestReviewsAreReported checks that the log counts the objects of a review, and names the version
// of the first that was converted.
func TestReviewsAreReported(t *testing.T) {
	options, log := logged(t)
	h := handlerOf(t, options, hotel.AddToScheme)
	same, v1, beta := roomOf("v2", "a", `{}`), roomOf("v1", "b", `{}`), roomOf("v1beta1", "c", `{"beds":"1"}`)
	body := reviewOf("hotel.example.com/v2", same, beta, v1, same, v1)
	ask(t, h, body)
	if got, want := reviewIn(t, log), (reviewed{"success", "hotel.example.com/v1beta1", "Room", 3, 2, len(body)}); got != want {
		t.Errorf("logged %+v, want %+v", got, want)
	}
}

// panicking is an engine whose conversions panic.
type panicking struct {
	echo
	panics func()
}

func (p panicking) Converter(pair engine.Pair) engine.Converter {
	return panickingConverter{echoing{pair}, p.panics}
}

type panickingConverter struct {
	echoing
	panics func()
}

func (p panickingConverter) Append(context.Context, []byte, []byte) ([]byte, error) {
	p.panics()
	return nil, nil
}

// TestPanicsAreReported checks that the answer names the type of the panic's value, or a runtime
// error, and never another value. The log has the stack.
func TestPanicsAreReported(t *testing.T) {
	var empty []int
	for _, test := range []struct {
		reason  string
		panics  func()
		message string
	}{
		{"a text", func() { panic("secret") }, "the conversion panicked: string"},
		{"an error", func() { panic(errors.New("secret")) }, "the conversion panicked: *errors.errorString"},
		{"an error of the language", func() { empty[len(empty)] = 1 }, "the conversion panicked: runtime error: index out of range [0] with length 0"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			options, log := logged(t)
			got := ask(t, webhook.New(panicking{panics: test.panics}, options), reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`)))
			if got.Result.Status != "Failure" || !strings.HasSuffix(got.Result.Message, test.message) {
				t.Errorf("%+v, want a failure that says %q", got.Result, test.message)
			}
			if logged := log.String(); !strings.Contains(logged, "panickingConverter.Append") || strings.Contains(logged, "secret") {
				t.Errorf("logged %s", logged)
			}
		})
	}
}

// TestRestOfFailedReviewIsRead checks that a client that still sends when the first object
// fails can read the reason.
func TestRestOfFailedReviewIsRead(t *testing.T) {
	h := handlerOf(t, webhook.Options{}, hotel.AddToScheme)
	body := strings.NewReader(reviewOf("hotel.example.com/v2", roomOf("v9", "a", `{}`), roomOf("v1", "b", `{"guest":"`+strings.Repeat("x", 1<<20)+`"}`)))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, webhook.Path, body))
	if got := responseOf(t, w.Body.Bytes()); got.Result.Status != "Failure" || body.Len() > 0 {
		t.Errorf("%+v, and %d bytes were not read", got.Result, body.Len())
	}
}

// broken is a response whose client has disconnected.
type broken struct{ counting }

func (b *broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestAnswerThatIsNotTakenIsNoSuccess checks that the connection is cut, and that the review
// counts as abandoned.
func TestAnswerThatIsNotTakenIsNoSuccess(t *testing.T) {
	options, log := logged(t)
	h := handlerOf(t, options, hotel.AddToScheme)
	func() {
		defer func() {
			if r := recover(); r != http.ErrAbortHandler {
				t.Errorf("the connection was not cut: %v", r)
			}
		}()
		body := strings.NewReader(reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`)))
		h.ServeHTTP(&broken{counting{header: http.Header{}}}, httptest.NewRequest(http.MethodPost, webhook.Path, body))
	}()
	if got := reviewIn(t, log); got.Result != "abandoned" {
		t.Errorf("logged %+v", got)
	}
}
