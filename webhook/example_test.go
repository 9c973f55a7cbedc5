package webhook_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/internal/example"
)

// This handler serves the types of a scheme, as an API server uses it.
func ExampleEngineOf() {
	scheme := k8sruntime.NewScheme()
	if err := example.AddToScheme(scheme); err != nil {
		fmt.Println(err)
		return
	}
	engine, err := webhook.EngineOf(scheme)
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle(webhook.Path, webhook.New(engine, webhook.Options{}))

	review := `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"1",
		"desiredAPIVersion":"crm.example.com/v20190909storage","objects":[
		{"kind":"Person","apiVersion":"crm.example.com/v20110101","metadata":{"name":"ann"},"spec":{"location":"north"}}]}}`
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(review)))
	fmt.Println(w.Body)
	// Output:
	// {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"1","convertedObjects":[{"kind":"Person","apiVersion":"crm.example.com/v20190909storage","metadata":{"name":"ann"},"spec":{"location":"north","originalVersion":"v20110101"}}],"result":{"metadata":{},"status":"Success"}}}
}
