package webhook_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	ctrlconversion "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/hotel"
)

// echo is an engine that changes only the version, for measuring the cost of the handler alone.
type echo struct{}

func (echo) Kinds() []engine.Kind                        { return nil }
func (echo) Converter(pair engine.Pair) engine.Converter { return echoing{pair} }

type echoing struct{ pair engine.Pair }

func (echoing) Steps() int { return 1 }

func (e echoing) Append(_ context.Context, dst, object []byte) ([]byte, error) {
	at := bytes.Index(object, []byte(e.pair.From))
	dst = append(dst, object[:at]...)
	dst = append(dst, e.pair.To...)
	return append(dst, object[at+len(e.pair.From):]...), nil
}

// roomOfSize is an object of about 6 KB, most of it numbers.
func roomOfSize() string {
	return `{"apiVersion":"hotel.example.com/v1","kind":"Room",` + metadata + `,"spec":{"beds":2,"guest":"Ann Lee","rates":[` +
		strings.TrimSuffix(strings.Repeat("12345678,", 560), ",") + `]}}`
}

func BenchmarkReview(b *testing.B) {
	scheme := schemeOf(b, hotel.AddToScheme)
	handlers := []struct {
		name string
		http.Handler
	}{
		{"echo", webhook.New(echo{}, webhook.Options{})},
		{"typed", handlerOf(b, webhook.Options{}, hotel.AddToScheme)},
		{"controller-runtime", ctrlconversion.NewWebhookHandler(scheme, ctrlconversion.NewRegistry())},
	}
	for _, objects := range []int{1, 500} {
		all := make([]string, objects)
		for i := range all {
			all[i] = roomOfSize()
		}
		body := reviewOf("hotel.example.com/v2", all...)
		for _, h := range handlers {
			b.Run(fmt.Sprintf("%s/%d", h.name, objects), func(b *testing.B) { benchmark(b, h, body) })
		}
	}
}

func BenchmarkPersons(b *testing.B) {
	scheme := schemeOf(b, example.AddToScheme)
	spec := `,` + metadata + `,"spec":{"location":"north","properties":{"firstName":"Ann","lastName":"Lee"}}`
	body := reviewOf("crm.example.com/v20190909storage", personOf("v20110101", spec))
	for _, h := range []struct {
		name string
		http.Handler
	}{
		{"typed", handlerOf(b, webhook.Options{}, func(s *k8sruntime.Scheme) error { return example.AddToScheme(s) })},
		{"controller-runtime", ctrlconversion.NewWebhookHandler(scheme, ctrlconversion.NewRegistry())},
	} {
		b.Run(h.name, func(b *testing.B) { benchmark(b, h, body) })
	}
}

func benchmark(b *testing.B, h http.Handler, body string) {
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	w := &counting{header: http.Header{}}
	for b.Loop() {
		w.bytes = 0
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(body)))
		if w.bytes < 100 {
			b.Fatal("there is no answer")
		}
	}
}

// TestHandlerAllocatesLittle checks that a review costs a fixed number of allocations for any
// number of objects. The handler copies neither the input nor the output of an engine.
func TestHandlerAllocatesLittle(t *testing.T) {
	h := webhook.New(echo{}, webhook.Options{})
	of := func(objects int) float64 {
		all := make([]string, objects)
		for i := range all {
			all[i] = roomOf("v1", "a", `{"beds":1}`)
		}
		body := reviewOf("hotel.example.com/v2", all...)
		w := &counting{header: http.Header{}}
		return testing.AllocsPerRun(20, func() {
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(body)))
		})
	}
	if one, many := of(1), of(1001); many-one > 100 {
		t.Errorf("%v allocations for one object, %v for a thousand more", one, many)
	}
}
