package webhook_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/hotel"
)

// TestDepth checks that the handler converts objects as deep as the API server stores, and refuses
// deeper ones before any code recurses.
func TestDepth(t *testing.T) {
	h := handlerOf(t, webhook.Options{}, example.AddToScheme)
	nested := func(depth int) string {
		return personOf("v20110101", `,"metadata":{"name":"deep"},"spec":{"location":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}`)
	}
	for _, test := range []struct {
		reason string
		depth  int
		want   string
	}{
		{"an object as deep as the API server can send", 9900, "Success"},
		{"one that is deeper", 10000, "Failure"},
		{"one that is much deeper", 1 << 20, "Failure"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got := ask(t, h, reviewOf("crm.example.com/v20190909storage", nested(test.depth)))
			if string(got.Result.Status) != test.want {
				t.Errorf("%s: %.300s", got.Result.Status, got.Result.Message)
			}
			if test.want == "Success" && strings.Count(string(got.ConvertedObjects[0].Raw), "[") != test.depth {
				t.Error("the value was not kept")
			}
		})
	}
}

// endless is a review whose list of objects never ends.
type endless struct {
	head io.Reader
	read int64
}

func (e *endless) Read(into []byte) (int, error) {
	if n, err := e.head.Read(into); err == nil {
		return n, nil
	}
	n := copy(into, `{"apiVersion":"hotel.example.com/v2","kind":"Room"},`)
	e.read += int64(n)
	return n, nil
}

// counting is a response that counts and discards its bytes.
type counting struct {
	header http.Header
	bytes  int64
}

func (c *counting) Header() http.Header { return c.header }
func (c *counting) WriteHeader(int)     {}
func (c *counting) Write(data []byte) (int, error) {
	c.bytes += int64(len(data))
	return len(data), nil
}

func TestLargeReviewsTakeLittleMemory(t *testing.T) {
	h := handlerOf(t, webhook.Options{}, hotel.AddToScheme)
	body := &endless{head: strings.NewReader(strings.TrimSuffix(reviewOf("hotel.example.com/v2"), `]},"response":null}`))}
	w := &counting{header: http.Header{}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := httptest.NewRequest(http.MethodPost, webhook.Path, body)
	r.ContentLength = -1
	h.ServeHTTP(w, r)
	runtime.ReadMemStats(&after)
	// The review ends at the limit of objects or of bytes, whichever it reaches first.
	if body.read < 4<<20 || w.bytes < 4<<20 {
		t.Errorf("only %d bytes were read, and %d written", body.read, w.bytes)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("%d bytes were allocated for a review of %d", grown, body.read)
	}
}

func TestClientThatLeavesIsNoSuccess(t *testing.T) {
	h := handlerOf(t, webhook.Options{}, hotel.AddToScheme)
	r := httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(reviewOf("hotel.example.com/v1", roomOf("v2", "a", `{}`))))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	defer func() {
		if r := recover(); r != http.ErrAbortHandler {
			t.Errorf("the connection was not cut: %v", r)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
}

// FuzzHandler checks that every request gets an answer, and that an answer of success is a valid
// one.
func FuzzHandler(f *testing.F) {
	h := handlerOf(f, webhook.Options{Limits: webhook.Limits{Depth: 200}}, hotel.AddToScheme, example.AddToScheme)
	f.Add([]byte(reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{"guest":"A B"}`), roomOf("v1beta1", "b", `{"beds":"1"}`))))
	f.Add([]byte(reviewOf("crm.example.com/v20190909", personOf("v20110101", `,"metadata":{"name":"a"},"spec":{"location":1e999}`))))
	f.Add([]byte(reviewOf("crm.example.com/v20190909", personOf("v20190909storage", `,"metadata":{"labels":1},"status":[],"status":{"conditions":{}}`))))
	f.Fuzz(func(t *testing.T, body []byte) {
		w := send(h, string(body))
		switch w.Code {
		case http.StatusBadRequest:
			return
		case http.StatusOK:
		default:
			t.Fatalf("status %d", w.Code)
		}
		got := responseOf(t, w.Body.Bytes())
		if got.Result.Status == "Failure" && got.Result.Message != "" && len(got.ConvertedObjects) == 0 {
			return
		}
		if got.Result.Status != "Success" {
			t.Fatalf("the result is %+v", got.Result)
		}
		if err := holds(body, got); err != nil {
			t.Error(err)
		}
	})
}

// TestMemoryOfTypes checks that converting an object by its types allocates at most twenty times
// its size in total.
func TestMemoryOfTypes(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collection empties the pools of buffers
	h := handlerOf(t, webhook.Options{}, example.AddToScheme)
	var wrong, tags strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&tags, `"tag%d":"value",`, i)
		wrong.WriteString(`{"a":[1,"two"]},`)
	}
	for reason, spec := range map[string]string{
		"many members":                   `{"tags":{` + strings.TrimSuffix(tags.String(), ",") + `}}`,
		"a large value of no type":       `{"location":[` + strings.TrimSuffix(wrong.String(), ",") + `]}`,
		"a text of a single large value": `{"location":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		t.Run(reason, func(t *testing.T) {
			body := reviewOf("crm.example.com/v20190909", personOf("v20110101", `,"metadata":{"name":"a"},"spec":`+spec))
			if got := ask(t, h, body); got.Result.Status != "Success" {
				t.Fatal(got.Result.Message)
			}
			// Without collections, buffers of earlier reviews remain, as they do under load. A
			// processor may have none yet, so that the best of several runs counts.
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			least := math.Inf(1)
			for range 5 {
				least = min(least, float64(allocated(h, body))/float64(len(body)))
			}
			if least > 20 {
				t.Errorf("%.1f times the size of the review was allocated", least)
			}
		})
	}
}

func allocated(h http.Handler, body string) uint64 {
	r := httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(body))
	w := &counting{header: http.Header{}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h.ServeHTTP(w, r)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
