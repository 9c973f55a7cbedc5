package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
)

// eager is an engine that converts objects while they are read, and records the texts that it
// receives.
type eager struct {
	echo
	attempts *attempts
}

type attempts struct {
	mu      sync.Mutex
	whole   int   // objects that were read before their conversion
	offered []int // bytes of text at each attempt to convert while reading
	done    int   // attempts that succeeded
	second  int   // objects that the converter behind received
	watch   func(offered int)
}

func (n *attempts) read() attempts {
	n.mu.Lock()
	defer n.mu.Unlock()
	return attempts{whole: n.whole, offered: slices.Clone(n.offered), done: n.done, second: n.second}
}

func (e eager) Converter(pair engine.Pair) engine.Converter {
	return eagerConverter{echoing{pair}, e.attempts}
}

type eagerConverter struct {
	echoing
	attempts *attempts
}

func (e eagerConverter) Try(ctx context.Context, dst, object []byte) ([]byte, *engine.Refusal) {
	e.attempts.mu.Lock()
	defer e.attempts.mu.Unlock()
	e.attempts.whole++
	if bytes.Contains(object, []byte("refuse me")) {
		return append(dst, "nothing of use"...), e.refusal()
	}
	out, err := e.echoing.Append(ctx, dst, object)
	if err != nil {
		return dst, e.refusal()
	}
	return out, nil
}

func (e eagerConverter) TryFirst(ctx context.Context, dst, text []byte, _ int) ([]byte, int, *engine.Refusal) {
	e.attempts.mu.Lock()
	defer e.attempts.mu.Unlock()
	e.attempts.offered = append(e.attempts.offered, len(text))
	if e.attempts.watch != nil {
		e.attempts.watch(len(text))
	}
	var object json.RawMessage
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&object)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return dst, 0, &engine.Refusal{Reason: "cut", IsCut: true}
	case err != nil, bytes.Contains(object, []byte("refuse me")):
		return append(dst, "nothing of use"...), 0, e.refusal()
	case bytes.Contains(object, []byte("ended")):
		return dst, 0, &engine.Refusal{Reason: "ended"}
	}
	out, err := e.echoing.Append(ctx, dst, object)
	if err != nil {
		return dst, 0, e.refusal()
	}
	e.attempts.done++
	return out, len(object), nil
}

func (e eagerConverter) refusal() *engine.Refusal {
	return &engine.Refusal{Reason: "odd", Next: second(e)}
}

// second is the converter behind an eagerConverter.
type second eagerConverter

func (second) Steps() int { return 1 }

func (s second) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	s.attempts.mu.Lock()
	defer s.attempts.mu.Unlock()
	s.attempts.second++
	return s.echoing.Append(ctx, dst, object)
}

// eagerHandler returns a handler that already knows the route of rooms.
func eagerHandler(t *testing.T, options webhook.Options) (*webhook.Handler, *attempts) {
	t.Helper()
	n := new(attempts)
	h := webhook.New(eager{attempts: n}, options)
	ask(t, h, reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`)))
	n.whole = 0
	return h, n
}

// padded returns a room of the given number of bytes.
func padded(bytes int) string {
	return roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", bytes-len(roomOf("v1", "a", `{"guest":""}`)))+`"}`)
}

// chunked sends a review of unknown length.
func chunked(h http.Handler, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, webhook.Path, io.MultiReader(strings.NewReader(body)))
	r.ContentLength = -1
	h.ServeHTTP(w, r)
	return w
}

// TestObjectsThatGrowAreConvertedWhileTheyAreRead sends objects that are each nearly twice as large
// as the one before.
func TestObjectsThatGrowAreConvertedWhileTheyAreRead(t *testing.T) {
	options, read := observed(t, webhook.Limits{})
	h, n := eagerHandler(t, options)
	objects := []string{padded(30_000), padded(59_000), padded(117_000), padded(233_000), padded(465_000), padded(1000)}
	w := chunked(h, reviewOf("hotel.example.com/v2", objects...))
	got := responseOf(t, w.Body.Bytes())
	if got.Result.Status != "Success" || len(got.ConvertedObjects) != len(objects) {
		t.Fatalf("%+v, %d objects", got.Result, len(got.ConvertedObjects))
	}
	for i, object := range got.ConvertedObjects {
		if want := strings.Replace(objects[i], "/v1", "/v2", 1); string(object.Raw) != want {
			t.Errorf("object %d is %.100s with %d bytes", i, object.Raw, len(object.Raw))
		}
	}
	if counts := n.read(); counts.whole > 0 || counts.done != len(objects) {
		t.Errorf("%d objects were read before they were converted, and %d while", counts.whole, counts.done)
	}
	if got := read("bytes_in_flight"); got != 0 {
		t.Errorf("%v bytes are taken at the end", got)
	}
}

// TestArrivedObjectsAreConverted checks that small objects behind a large one wait for no more
// bytes than they have, and that no more are counted for them.
func TestArrivedObjectsAreConverted(t *testing.T) {
	const smalls = 700
	h, n := eagerHandler(t, webhook.Options{Limits: webhook.Limits{Grace: time.Hour}})
	begin := strings.TrimSuffix(reviewOf("hotel.example.com/v2"), `]},"response":null}`)
	c := hold(t, h, 2<<20, begin+padded(600<<10)+strings.Repeat(","+padded(1<<10), smalls))
	for limit := time.Now().Add(10 * time.Second); n.read().done < smalls-10 && time.Now().Before(limit); {
		time.Sleep(5 * time.Millisecond)
	}
	counts := n.read()
	if counts.done < smalls-10 || counts.whole > 0 {
		t.Fatalf("of %d objects that have arrived, %d are converted, and %d were read before", smalls+1, counts.done, counts.whole)
	}
	if most := slices.Max(counts.offered[100:]); most > 4<<10 {
		t.Errorf("%d bytes are counted for an object of 1 KiB", most)
	}
	_ = c.feed.Close()
	<-c.code
}

// TestSmallReviewsTakeTheirFirstBuffers checks that the first buffer of a review suffices for small
// objects.
func TestSmallReviewsTakeTheirFirstBuffers(t *testing.T) {
	options, read := observed(t, webhook.Limits{})
	h, n := eagerHandler(t, options)
	const answer = 64 << 10 // more than the first buffer has room for
	n.watch = func(offered int) {
		if got := read("bytes_in_flight"); got > float64(17*offered+answer) {
			t.Errorf("%v bytes are taken while %d may be converted", got, offered)
		}
	}
	body := reviewOf("hotel.example.com/v2", slices.Repeat([]string{padded(1 << 10)}, 30)...)
	if w := chunked(h, body); w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
	if counts := n.read(); counts.whole > 0 {
		t.Errorf("%d objects were read before they were converted", counts.whole)
	}
}

// TestEagerConversionThatPanics checks that the panic is reported with the name of its object,
// and that no converter gets the object again.
func TestEagerConversionThatPanics(t *testing.T) {
	options, read := observed(t, webhook.Limits{})
	h, n := eagerHandler(t, options)
	n.watch = func(int) { panic("while it is read") }
	got := ask(t, h, reviewOf("hotel.example.com/v2", padded(1<<10), padded(2<<10)))
	const want = "convert Room a of hotel.example.com/v1 to hotel.example.com/v2 (request.objects[0]): the conversion panicked: string"
	if got.Result.Status != "Failure" || got.Result.Message != want {
		t.Errorf("%+v", got.Result)
	}
	if counts := n.read(); counts.whole+counts.second != 0 || len(counts.offered) != 1 {
		t.Errorf("the object was given to converters again, %d times", counts.whole+counts.second+len(counts.offered)-1)
	}
	if got := read("bytes_in_flight"); got != 0 {
		t.Errorf("%v bytes are taken at the end", got)
	}
	if panics, failed := read("panics_total"), read("objects_total"); panics != 1 || failed != 1+1 {
		t.Errorf("%v panics, and %v objects", panics, failed)
	}
}

// TestNoObjectIsTriedTwice counts the objects that each converter receives.
func TestNoObjectIsTriedTwice(t *testing.T) {
	odd := roomOf("v1", "refuse me", `{}`)
	for _, test := range []struct {
		reason                 string
		known                  bool // whether the handler knows the route
		object                 string
		offered, whole, second int
		refusals               float64
		message                string
	}{
		{"converted while it is read", true, padded(1 << 10), 1, 0, 0, 0, ""},
		{"refused while it is read", true, odd, 1, 0, 1, 1, ""},
		{"converted after it was read", false, padded(1 << 10), 0, 1, 0, 0, ""},
		{"refused after it was read", false, odd, 0, 1, 1, 1, ""},
		{"cut off, and converted", true, padded(600 << 10), 1, 1, 0, 0, ""},
		{"cut off, and refused", true, roomOf("v1", "refuse me", `{"guest":"`+strings.Repeat("x", 600<<10)+`"}`), 1, 1, 1, 1, ""},
		{"another version behind the first one", true, strings.Replace(odd, `"spec"`, `"apiVersion":"hotel.example.com/v1beta1","spec"`, 1), 1, 1, 1, 1, ""},
		{"no object", true, `{"apiVersion":"hotel.example.com/v1","kind":"Room",}`, 1, 0, 0, 0, "read the review"},
		{"nobody waits", true, roomOf("v1", "ended", `{}`), 1, 0, 0, 0, "no converter takes the object"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			options, read := observed(t, webhook.Limits{})
			n := new(attempts)
			h := webhook.New(eager{attempts: n}, options)
			if test.known {
				ask(t, h, reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`)))
				n.whole = 0
			}
			got := responseOf(t, chunked(h, reviewOf("hotel.example.com/v2", test.object)).Body.Bytes())
			if (got.Result.Status == "Success") != (test.message == "") || !strings.Contains(got.Result.Message, test.message) {
				t.Errorf("%+v", got.Result)
			}
			if counts := n.read(); len(counts.offered) != test.offered || counts.whole != test.whole || counts.second != test.second {
				t.Errorf("%d attempts while it was read, %d after, %d of the converter behind", len(counts.offered), counts.whole, counts.second)
			}
			if got := read("refusals_total"); got != test.refusals {
				t.Errorf("%v refusals are counted", got)
			}
		})
	}
}
