package webhook_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stratakube/strata/webhook"
)

// TestBodiesOfUnknownLengthAreBounded sends reviews without an announced length, which have no
// large object. One that is longer than a review may be must not succeed, nor be read on.
func TestBodiesOfUnknownLengthAreBounded(t *testing.T) {
	const limit = 1 << 20
	room := roomOfLength(1 << 10)
	h := webhook.New(echo{}, webhook.Options{Limits: webhook.Limits{BodyBytes: limit, Objects: 1 << 20}})
	for count, succeeds := range map[int]bool{limit >> 11: true, limit >> 9: false} {
		body := strings.NewReader(reviewOf("hotel.example.com/v2", strings.Split(strings.Repeat(room+"\n", count-1)+room, "\n")...))
		r := httptest.NewRequest(http.MethodPost, "/convert", io.NopCloser(body))
		r.ContentLength = -1
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if p := recover(); p != nil && p != http.ErrAbortHandler {
					panic(p)
				}
			}()
			h.ServeHTTP(w, r)
		}()
		got := w.Code == http.StatusOK && strings.Contains(w.Body.String(), `"status":"Success"`)
		if got != succeeds || !succeeds && body.Len() == 0 {
			t.Errorf("%d objects: status %d, %d bytes are left, %.300s", count, w.Code, body.Len(), w.Body)
		}
	}
}
