package webhook_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/hotel"
	"github.com/stratakube/strata/webhook/telemetry"
)

// observed returns options with metrics, and a function that reads one of them.
func observed(t *testing.T, limits webhook.Limits) (options webhook.Options, read func(metric string) float64) {
	t.Helper()
	registry := prometheus.NewRegistry()
	tel, err := telemetry.New(telemetry.Options{Metrics: registry})
	if err != nil {
		t.Fatal(err)
	}
	return webhook.Options{Limits: limits, Telemetry: tel}, func(metric string) float64 {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range families {
			if family.GetName() == "strata_conversion_"+metric {
				sum := 0.0
				for _, m := range family.GetMetric() {
					sum += m.GetGauge().GetValue() + m.GetCounter().GetValue()
				}
				return sum
			}
		}
		if strings.HasSuffix(metric, "_total") {
			return 0 // a counter without any value
		}
		t.Fatalf("there is no metric %s", metric)
		return 0
	}
}

// client has sent a part of its review. code receives the status of the answer.
type client struct {
	feed *io.PipeWriter
	code chan int
}

// hold sends a part of a review of the announced length, and waits until that part was read.
func hold(t *testing.T, h http.Handler, announced int64, part string) client {
	t.Helper()
	body, feed := io.Pipe()
	c := client{feed, make(chan int, 1)}
	go func() {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, webhook.Path, body)
		r.ContentLength = announced
		h.ServeHTTP(w, r)
		c.code <- w.Code
	}()
	if _, err := io.WriteString(feed, part); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = feed.Close() })
	return c
}

// unended returns the beginning of a review with one object that does not end within the given
// number of bytes.
func unended(bytes int) string {
	begin := strings.TrimSuffix(reviewOf("hotel.example.com/v2"), `]},"response":null}`) + `{"apiVersion":"hotel.example.com/v1","kind":"Room","spec":{"guest":"`
	return begin + strings.Repeat("x", max(0, bytes-len(begin)))
}

// TestAnnouncedLengthReservesNothing checks that lengths which clients only announce reserve no
// memory.
func TestAnnouncedLengthReservesNothing(t *testing.T) {
	limits := webhook.Limits{BodyBytes: 32 << 20, ObjectBytes: 1 << 20, InFlightBytes: 32 << 20, InFlight: 2, Grace: time.Hour}
	options, read := observed(t, limits)
	h := handlerOf(t, options, hotel.AddToScheme)
	for range 50 {
		hold(t, h, 32<<20, "{")
	}
	if got := read("bytes_in_flight"); got != 0 {
		t.Errorf("%v bytes are taken for reviews that have not arrived", got)
	}
	if got := read("reviews_in_flight"); got != 50 {
		t.Errorf("%v reviews are under way, want 50", got)
	}
	if got := ask(t, h, reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`))); got.Result.Status != "Success" {
		t.Error(got.Result.Message)
	}
}

// TestMemoryIsTakenAsBytesArrive checks reviews of known and of unknown length.
func TestMemoryIsTakenAsBytesArrive(t *testing.T) {
	for _, announced := range []int64{32 << 20, -1} {
		options, read := observed(t, webhook.Limits{BodyBytes: 32 << 20, Grace: time.Hour})
		h := handlerOf(t, options, hotel.AddToScheme)
		c := hold(t, h, announced, unended(0))
		before := read("bytes_in_flight")
		for _, arrived := range []int{1 << 20, 3 << 20} {
			if _, err := c.feed.Write(bytes.Repeat([]byte("x"), arrived)); err != nil {
				t.Fatal(err)
			}
			got := read("bytes_in_flight")
			if got < before+float64(arrived)/2 || got > before+3*float64(arrived) {
				t.Errorf("announced %d: %v bytes are taken after %d more than %v", announced, got, arrived, before)
			}
			before = got
		}
		_ = c.feed.Close()
		<-c.code
		if got := read("bytes_in_flight"); got != 0 {
			t.Errorf("announced %d: %v bytes are taken after the end", announced, got)
		}
	}
}

// TestBodiesOfUnknownLengthTakeRoom checks that while one large review converts, there is no memory
// for another, but enough for a small one.
func TestBodiesOfUnknownLengthTakeRoom(t *testing.T) {
	g := gated{began: make(chan struct{}, 1), let: make(chan struct{})}
	h := webhook.New(g, webhook.Options{Limits: webhook.Limits{ObjectBytes: 2 << 20, InFlightBytes: 64 << 20}})
	large := reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", 2<<20-200)+`"}`))
	chunked := func(body string) chan *httptest.ResponseRecorder {
		done := make(chan *httptest.ResponseRecorder, 1)
		go func() {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, webhook.Path, io.MultiReader(strings.NewReader(body)))
			r.ContentLength = -1
			h.ServeHTTP(w, r)
			done <- w
		}()
		return done
	}
	first := chunked(large)
	<-g.began
	if w := <-chunked(large); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d with %v: %.300s", w.Code, w.Header(), w.Body)
	}
	const smalls = 4 // which need more than the large one leaves
	small := reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", 60<<10)+`"}`))
	done := make(chan *httptest.ResponseRecorder, smalls)
	for range smalls {
		go func() { done <- <-chunked(small) }()
	}
	for range smalls {
		select {
		case <-g.began:
		case w := <-done:
			t.Fatalf("a small one was turned away: %d", w.Code)
		}
	}
	for range smalls + 1 {
		g.let <- struct{}{}
	}
	for range smalls {
		if w := <-done; w.Code != http.StatusOK {
			t.Errorf("status %d", w.Code)
		}
	}
	if w := <-first; w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
}

// TestClientsThatBlockOthersAreCutOff lets large reviews stall that use all memory. Another large
// review gets it.
func TestClientsThatBlockOthersAreCutOff(t *testing.T) {
	limits := webhook.Limits{ObjectBytes: 2 << 20, InFlightBytes: 64 << 20, Grace: time.Hour}
	h := handlerOf(t, webhook.Options{Limits: limits}, hotel.AddToScheme)
	var stalled []client
	for range 5 { // which share three sixteenths of 64 MiB, with 2 MiB each
		stalled = append(stalled, hold(t, h, -1, unended(1<<20+1<<19)))
	}
	large := reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", 1<<20)+`"}`))
	if got := ask(t, h, large); got.Result.Status != "Success" {
		t.Error(got.Result.Message)
	}
	cut := 0
	for _, c := range stalled {
		select {
		case code := <-c.code:
			if cut++; code != http.StatusRequestTimeout {
				t.Errorf("status %d", code)
			}
		default:
		}
	}
	if cut == 0 || cut > 2 {
		t.Errorf("%d of 5 were cut off, want as many as were in the way", cut)
	}
}

// TestOneReviewTooManyTakesPlaceOfSlowest checks that the slowest review is cut off for a new
// one. If no client is slow, the new one is refused.
func TestOneReviewTooManyTakesPlaceOfSlowest(t *testing.T) {
	h := handlerOf(t, webhook.Options{Limits: webhook.Limits{Open: 3, Grace: time.Hour}}, hotel.AddToScheme)
	small := reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`))
	first := hold(t, h, 100, "{")
	time.Sleep(50 * time.Millisecond)
	second, third := hold(t, h, 100, "{"), hold(t, h, 100, "{")
	var busy *httptest.ResponseRecorder
	for busy = send(h, small); busy.Code == http.StatusServiceUnavailable; busy = send(h, small) {
		time.Sleep(10 * time.Millisecond)
	}
	if busy.Code != http.StatusOK {
		t.Errorf("status %d", busy.Code)
	}
	if code := <-first.code; code != http.StatusRequestTimeout {
		t.Errorf("the slowest got %d", code)
	}
	for _, c := range []client{second, third} {
		select {
		case code := <-c.code:
			t.Errorf("another was cut off too: %d", code)
		default:
		}
		_ = c.feed.Close()
		<-c.code
	}
	for range 5 { // reviews that have ended count no more
		if w := send(h, small); w.Code != http.StatusOK {
			t.Errorf("status %d", w.Code)
		}
	}
}

// gated is an engine whose conversions wait until the test releases them.
type gated struct {
	echo
	began chan struct{}
	let   chan struct{}
}

func (g gated) Converter(pair engine.Pair) engine.Converter { return gatedly{echoing{pair}, g} }

type gatedly struct {
	echoing
	gated
}

func (g gatedly) Steps() int { return 1 }
func (g gatedly) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	g.began <- struct{}{}
	<-g.let
	return g.echoing.Append(ctx, dst, object)
}

func TestOneConversionTooManyComesBack(t *testing.T) {
	g := gated{began: make(chan struct{}, 1), let: make(chan struct{})}
	h := webhook.New(g, webhook.Options{Limits: webhook.Limits{InFlight: 1, RetryAfter: 3 * time.Second}})
	body := reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{}`))
	first := make(chan int, 1)
	go func() { first <- send(h, body).Code }()
	<-g.began
	if w := send(h, body); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "3" {
		t.Errorf("status %d with %v", w.Code, w.Header())
	}
	second := make(chan int, 1)
	go func() { second <- send(h, body).Code }()
	g.let <- struct{}{}
	<-g.began // the second waited
	g.let <- struct{}{}
	if a, b := <-first, <-second; a != http.StatusOK || b != http.StatusOK {
		t.Errorf("status %d and %d", a, b)
	}
}

// TestSlowClientsAreCutOff cuts off clients that are slower than the rate for longer than the
// grace. The time of a conversion does not count.
func TestSlowClientsAreCutOff(t *testing.T) {
	const grace = 50 * time.Millisecond
	h := handlerOf(t, webhook.Options{Limits: webhook.Limits{Rate: 1 << 20, Grace: grace}}, hotel.AddToScheme)
	t.Run("one that stalls", func(t *testing.T) {
		if code := <-hold(t, h, 1000, "{").code; code != http.StatusRequestTimeout {
			t.Errorf("status %d", code)
		}
	})
	t.Run("one that stalls in an object", func(t *testing.T) {
		if code := <-hold(t, h, -1, unended(100<<10)).code; code != http.StatusRequestTimeout {
			t.Errorf("status %d", code)
		}
	})
	t.Run("one that sends a byte now and then", func(t *testing.T) {
		c := hold(t, h, -1, unended(0))
		for {
			if _, err := io.WriteString(c.feed, "x"); err != nil {
				break
			}
			time.Sleep(grace / 10)
		}
		if code := <-c.code; code != http.StatusRequestTimeout {
			t.Errorf("status %d", code)
		}
	})
	t.Run("one that is answered late", func(t *testing.T) {
		const grace = 500 * time.Millisecond
		g := gated{began: make(chan struct{}, 1), let: make(chan struct{})}
		h := webhook.New(g, webhook.Options{Limits: webhook.Limits{Grace: grace}})
		room := roomOf("v1", "a", `{}`)
		done := make(chan int, 1)
		go func() { done <- send(h, reviewOf("hotel.example.com/v2", room, room)).Code }()
		for range 2 {
			<-g.began
			time.Sleep(3 * grace / 2)
			g.let <- struct{}{}
		}
		if code := <-done; code != http.StatusOK {
			t.Errorf("status %d", code)
		}
	})
}

// TestConversionsAreCounted checks that a conversion counts 16 bytes for each byte of its object,
// and the bytes received.
func TestConversionsAreCounted(t *testing.T) {
	for _, size := range []int{1 << 10, 100 << 10, 4 << 20} {
		g := gated{began: make(chan struct{}, 1), let: make(chan struct{})}
		options, read := observed(t, webhook.Limits{})
		h := webhook.New(g, options)
		done := make(chan int, 1)
		go func() {
			done <- send(h, reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", size)+`"}`))).Code
		}()
		<-g.began
		if got := read("bytes_in_flight"); got < 16*float64(size) || got > 24*float64(size+1<<10) {
			t.Errorf("%v bytes are counted for an object of %d", got, size)
		}
		g.let <- struct{}{}
		if code := <-done; code != http.StatusOK {
			t.Errorf("status %d", code)
		}
		if got := read("bytes_in_flight"); got != 0 {
			t.Errorf("%v bytes are still counted", got)
		}
	}
}

// costly is a gated engine whose conversions have a fixed cost.
type costly struct {
	gated
	cost int64
}

func (c costly) Converter(pair engine.Pair) engine.Converter {
	return costlyConverter{gatedly{echoing{pair}, c.gated}, c.cost}
}

type costlyConverter struct {
	gatedly
	cost int64
}

func (c costlyConverter) Cost([]byte) int64 { return c.cost }

// TestCostsOfConversionsAreCounted checks that the first object of a kind is counted like all
// others. An object that costs more than the pool converts alone.
func TestCostsOfConversionsAreCounted(t *testing.T) {
	const all = 256 << 20
	for _, test := range []struct {
		reason      string
		cost        int64
		least, most float64
	}{
		{"a large one", 20 << 20, 20 << 20, 21 << 20},
		{"one that costs less than its bytes make likely", 1, 17 << 10, 1 << 20},
		{"one that costs more than its pool", 200 << 20, 100 << 20, all},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := costly{gated{began: make(chan struct{}, 1), let: make(chan struct{})}, test.cost}
			options, read := observed(t, webhook.Limits{InFlightBytes: all})
			h := webhook.New(g, options)
			body := reviewOf("hotel.example.com/v2", roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", 1<<10)+`"}`))
			for range 2 {
				done := make(chan int, 1)
				go func() { done <- send(h, body).Code }()
				<-g.began
				if got := read("bytes_in_flight"); got < test.least || got > test.most {
					t.Errorf("%v bytes are counted", got)
				}
				g.let <- struct{}{}
				if code := <-done; code != http.StatusOK {
					t.Errorf("status %d", code)
				}
			}
			if got := read("bytes_in_flight"); got != 0 {
				t.Errorf("%v bytes are still counted", got)
			}
		})
	}
}

// TestNothingStaysTaken checks that reviews release all memory, however they end.
func TestNothingStaysTaken(t *testing.T) {
	limits := webhook.Limits{ObjectBytes: 1 << 20, InFlightBytes: 32 << 20, Grace: time.Hour}
	options, read := observed(t, limits)
	h := handlerOf(t, options, hotel.AddToScheme, example.AddToScheme)
	limits.Grace = 50 * time.Millisecond
	options, readHasty := observed(t, limits)
	hasty := handlerOf(t, options, hotel.AddToScheme)
	room := func(size int) string { return roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", size)+`"}`) }
	many := make([]string, 300)
	for i := range many {
		many[i] = room(3000)
	}
	late := `{"request":{"objects":[` + room(300<<10) + `],"uid":"u","desiredAPIVersion":"hotel.example.com/v2"},"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`
	for round := range 3 {
		for reason, body := range map[string]string{
			"small":            reviewOf("hotel.example.com/v2", room(1)),
			"passed on":        reviewOf("hotel.example.com/v1", room(300<<10)),
			"medium":           reviewOf("hotel.example.com/v2", room(100<<10)),
			"large":            reviewOf("hotel.example.com/v2", room(900<<10)),
			"too large":        reviewOf("hotel.example.com/v2", room(2<<20)),
			"many":             reviewOf("hotel.example.com/v2", many...),
			"objects first":    late,
			"no review":        strings.Repeat(" ", 100<<10),
			"wrong at the end": strings.TrimSuffix(reviewOf("hotel.example.com/v2", room(500<<10)), "}"),
			"one that fails":   reviewOf("hotel.example.com/v2", room(200<<10), roomOf("v9", "a", `{}`)),
		} {
			send(h, body)
			if got := read("bytes_in_flight"); got != 0 {
				t.Fatalf("%s: %v bytes are still counted in round %d", reason, got, round)
			}
		}
		for _, c := range []client{hold(t, hasty, 1000, unended(500)), hold(t, hasty, -1, unended(500<<10))} {
			<-c.code
		}
		if bytes, reviews := readHasty("bytes_in_flight"), readHasty("reviews_in_flight"); bytes != 0 || reviews != 0 {
			t.Fatalf("%v bytes and %v reviews are still counted after slow clients", bytes, reviews)
		}
	}
	// The metric agrees with the pools: the largest object finds room again and again.
	for range 50 {
		if got := ask(t, h, reviewOf("hotel.example.com/v2", room(1<<20-200))); got.Result.Status != "Success" {
			t.Fatal(got.Result.Message)
		}
	}
}

func TestLimitsThatContradictThemselves(t *testing.T) {
	for _, test := range []struct {
		reason string
		limits webhook.Limits
		want   string
	}{
		{"none is set", webhook.Limits{}, ""},
		{"those that are usual", webhook.DefaultLimits(), ""},
		{"less memory alone", webhook.Limits{InFlightBytes: 1 << 20}, ""},
		{"reviews longer than all together", webhook.Limits{BodyBytes: 1 << 20, InFlightBytes: 1<<20 - 1}, "raise --max-in-flight-bytes to at least 1048576, or lower --max-body-bytes"},
		{"reviews longer than is usual for all together", webhook.Limits{BodyBytes: 1 << 30}, "raise --max-in-flight-bytes to at least 1073741824, or lower --max-body-bytes"},
		{"objects for which there is never room", webhook.Limits{ObjectBytes: 16 << 20}, "raise --max-in-flight-bytes to at least 536870912, or lower --max-object-bytes to at most 8388608"},
		{"a depth beyond all decoders", webhook.Limits{Depth: 10001}, "lower --max-depth"},
	} {
		err := test.limits.Check()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v, want %q", test.reason, err, test.want)
		}
	}
}

// TestLargestReviewFindsRoom checks that a review at all limits is answered, for any limits that
// agree with each other.
func TestLargestReviewFindsRoom(t *testing.T) {
	for _, limits := range []webhook.Limits{{}, {ObjectBytes: 1 << 20, InFlightBytes: 32 << 20, BodyBytes: 32 << 20}, {ObjectBytes: 4 << 10, InFlightBytes: 128 << 10}} {
		d := limits
		if d.ObjectBytes == 0 {
			d = webhook.DefaultLimits()
		}
		h := handlerOf(t, webhook.Options{Limits: limits}, hotel.AddToScheme)
		empty := roomOf("v1", "a", `{"guest":""}`)
		largest := roomOf("v1", "a", `{"guest":"`+strings.Repeat("x", int(d.ObjectBytes)-len(empty))+`"}`)
		last := reviewOf("hotel.example.com/v2", largest)
		first := fmt.Sprintf(`{"request":{"objects":%s,"uid":"u","desiredAPIVersion":"hotel.example.com/v2"},"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`,
			`[`+strings.Replace(largest, "xx", "", 1)+`]`)
		for where, body := range map[string]string{"last": last, "first": first} {
			if got := ask(t, h, body); got.Result.Status != "Success" {
				t.Errorf("objects %s, %d bytes: %s", where, d.ObjectBytes, got.Result.Message)
			}
		}
	}
}
