package webhook

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/webhook/internal/example"
)

// BenchmarkNewGoroutine answers a review on a new goroutine, as an HTTP/2 server does. With "grown"
// the stack grows before the review, and otherwise in the middle of it.
func BenchmarkNewGoroutine(b *testing.B) {
	scheme := k8sruntime.NewScheme()
	if err := example.AddToScheme(scheme); err != nil {
		b.Fatal(err)
	}
	engine, err := EngineOf(scheme)
	if err != nil {
		b.Fatal(err)
	}
	h := New(engine, Options{})
	body := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"crm.example.com/v20190909storage","objects":[` +
		`{"apiVersion":"crm.example.com/v20110101","kind":"Person",` + managed + `,"spec":{"location":"north","properties":{"firstName":"Ann","lastName":"Lee"}}}]}}`
	for _, handler := range []struct {
		name  string
		serve http.HandlerFunc
	}{{"grown", h.ServeHTTP}, {"growing", h.admit}} {
		b.Run(handler.name, func(b *testing.B) {
			answered := make(chan int)
			for b.Loop() {
				w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, Path, strings.NewReader(body))
				go func() {
					handler.serve(w, r)
					answered <- w.Body.Len()
				}()
				if <-answered < len(managed) {
					b.Fatal("there is no answer")
				}
			}
		})
	}
}

// managed is metadata with managed fields of twelve levels.
var managed = fmt.Sprintf(`"metadata":{"name":"a","managedFields":[{"manager":"kubectl","operation":"Update","apiVersion":"crm.example.com/v20110101","fieldsType":"FieldsV1","fieldsV1":%s{}%s}]}`,
	strings.Repeat(`{"f:spec":`, 12), strings.Repeat(`}`, 12))
