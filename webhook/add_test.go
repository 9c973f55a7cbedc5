package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/hotel"
	"github.com/stratakube/strata/webhook/telemetry"
)

// manager implements the methods of a manager that Add calls, with a real webhook server.
type manager struct {
	scheme *k8sruntime.Scheme
	server ctrlwebhook.Server
	checks map[string]healthz.Checker
}

func (m *manager) GetScheme() *k8sruntime.Scheme        { return m.scheme }
func (m *manager) GetWebhookServer() ctrlwebhook.Server { return m.server }
func (m *manager) AddReadyzCheck(name string, check healthz.Checker) error {
	m.checks[name] = check
	return nil
}

func managerOf(t *testing.T, add ...func(*k8sruntime.Scheme) error) *manager {
	return &manager{schemeOf(t, add...), ctrlwebhook.NewServer(ctrlwebhook.Options{}), map[string]healthz.Checker{}}
}

func TestAdd(t *testing.T) {
	m := managerOf(t, hotel.AddToScheme)
	if err := webhook.Add(m, webhook.Options{}); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	m.server.WebhookMux().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/convert", strings.NewReader(reviewOf("hotel.example.com/v1", roomOf("v2", "a", `{}`)))))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"status":"Success"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	for range 2 {
		if err := m.checks["conversion"](httptest.NewRequest(http.MethodGet, "/readyz", nil)); err != nil {
			t.Errorf("not ready: %v", err)
		}
	}
	if err := webhook.Add(m, webhook.Options{}); err == nil || !strings.Contains(err.Error(), "/convert is taken") {
		t.Errorf("a second time: %v", err)
	}
}

// TestAddObserves checks that the telemetry of the handler counts the values that conversions
// preserve.
func TestAddObserves(t *testing.T) {
	registry := prometheus.NewRegistry()
	tel, err := telemetry.New(telemetry.Options{Metrics: registry})
	if err != nil {
		t.Fatal(err)
	}
	m := managerOf(t, example.AddToScheme)
	if err := webhook.Add(m, webhook.Options{Telemetry: tel}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runtime.SetObserver(nil) })
	body := reviewOf("crm.example.com/v20190909", personOf("v20110101", `,"metadata":{"name":"a"},"spec":{"location":1}`))
	m.server.WebhookMux().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/convert", strings.NewReader(body)))
	if got, err := testutil.GatherAndCount(registry, "strata_conversion_raw_values_total"); err != nil || got != 1 {
		t.Errorf("%d values of the wrong type are counted, %v", got, err)
	}
}

func TestAddRefuses(t *testing.T) {
	m := managerOf(t, hotel.AddToScheme, func(s *k8sruntime.Scheme) error {
		s.AddKnownTypeWithName(roomKind.WithVersion("v9"), &k8sruntime.Unknown{})
		return nil
	})
	if err := webhook.Add(m, webhook.Options{}); err == nil || !strings.Contains(err.Error(), "version v9 has no converter") {
		t.Errorf("error is %v", err)
	}
	m = managerOf(t, hotel.AddToScheme)
	if err := webhook.Add(m, webhook.Options{Limits: webhook.Limits{BodyBytes: 1 << 30}}); err == nil || !strings.Contains(err.Error(), "raise --max-in-flight-bytes") {
		t.Errorf("limits that contradict themselves: %v", err)
	}
	if len(m.checks) > 0 {
		t.Error("a webhook that was refused has a probe")
	}
}
