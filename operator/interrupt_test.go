package operator_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/operator"
	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/provider"
)

// TestInterruptedStartIsNoFailure ends an operator at its first request, which then fails. A
// process that a signal ends must not look like one that failed.
func TestInterruptedStartIsNoFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		cancel()
		http.Error(w, "closing", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	scheme := k8sruntime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	err := operator.Run(ctx, operator.Options{
		Config: &rest.Config{Host: server.URL}, Scheme: scheme, Host: plugintest.InMemory(t, (&fakeprovider.Cloud{}).Register), Providers: []provider.Entry{{Name: "crm"}},
	})
	if err != nil || asked == 0 {
		t.Errorf("after %d requests: %v", asked, err)
	}
}
