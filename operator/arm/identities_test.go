package arm_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/arm"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// assertion is the token that a cluster projects into pods for a federated identity. Only its
// form matters here.
const assertion = "header.claims.the-signature-of-the-cluster"

// managed answers like the token service of a managed identity, whose address is in two
// environment variables.
func (c *cloud) managed(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := r.URL.Query()
	if r.Header.Get("X-IDENTITY-HEADER") != "the-identity-header" || q.Get("resource") != "https://audience.example.com" {
		http.Error(w, `{"statusCode":400,"message":"no identity"}`, http.StatusBadRequest)
		return
	}
	token := "token-of-" + q.Get("client_id")
	if q.Get("client_id") == "" {
		token = "token-of-pod"
	}
	c.asked[token]++
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":%q,"expires_on":"%d","resource":"https://audience.example.com","token_type":"Bearer"}`, token, time.Now().Add(time.Hour).Unix())
}

// TestIdentities runs the plugin with the identities of a pod without a Secret: federated
// (workload identity), managed, and the default chain of the SDK.
func TestIdentities(t *testing.T) {
	c := startCloud(t)
	tokens := http.NewServeMux()
	tokens.HandleFunc("GET /token", c.managed)
	msi := serveHTTP(t, tokens)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(assertion), 0o600); err != nil {
		t.Fatal(err)
	}
	locked, err := host.Lock(plugintest.Build(t, "./cmd/strata-arm"))
	if err != nil {
		t.Fatal(err)
	}
	identity := map[string]string{"IDENTITY_ENDPOINT": msi + "/token", "IDENTITY_HEADER": "the-identity-header"}
	workload := map[string]string{"AZURE_FEDERATED_TOKEN_FILE": file, "AZURE_CLIENT_ID": "federated", "AZURE_TENANT_ID": tenant}
	for _, test := range []struct {
		reason, name string
		environment  map[string]string
		config       map[string]string
		want         string
	}{
		{"workload identity", "federated", workload, nil, ""},
		{"workload identity goes before the managed one", "federated", join(workload, identity), nil, ""},
		{"the client and the tenant of the environment go before those of the configuration", "federated", workload, map[string]string{"client": "another", "tenant": "another"}, ""},
		{"the managed identity of the environment goes before that of the configuration", "of-environment", join(identity, map[string]string{"AZURE_CLIENT_ID": "of-environment"}), map[string]string{"client": "another"}, ""},
		{"workload identity of a client that the configuration names", "configured", map[string]string{"AZURE_FEDERATED_TOKEN_FILE": file}, map[string]string{"client": "configured"}, ""},
		{"the managed identity of a client", "user-assigned", identity, map[string]string{"client": "user-assigned"}, ""},
		{"the managed identity of the pod, found by the default chain", "pod", identity, nil, ""},
		{"a managed identity that its service refuses", "refused", map[string]string{"IDENTITY_ENDPOINT": msi + "/token", "IDENTITY_HEADER": "another"}, map[string]string{"client": "refused"},
			"UNAUTHORIZED"},
		{"a federated token that is not there", "lost", map[string]string{"AZURE_FEDERATED_TOKEN_FILE": file + ".gone", "AZURE_CLIENT_ID": "lost", "AZURE_TENANT_ID": tenant}, nil, "UNAUTHORIZED"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			log := &plugintest.Log{}
			for _, key := range []string{"AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT", "IDENTITY_HEADER"} {
				t.Setenv(key, test.environment[key])
				if test.environment[key] == "" {
					os.Unsetenv(key)
				}
			}
			h := plugintest.Open(t, host.Options{Plugins: []host.Plugin{locked}, Log: log.Logger(), Environment: []string{"AZURE_*", "IDENTITY_*"}})
			p := plugintest.Get(t, h, provider.Version, arm.Name, join(map[string]string{
				"cloud": "custom", "endpoint": c.URL, "authority": c.URL, "audience": "https://audience.example.com", "tenant": tenant,
			}, test.config))
			seen, err := p.Observe(t.Context(), subject(func(r *v1.Resource) { r.Place.Name = test.name }))
			got := ""
			if f := provider.FailureOf(err); f != nil {
				got = strings.TrimPrefix(f.GetReason().String(), "REASON_")
			} else if err != nil || !seen.GetObservation().GetExists() {
				t.Fatalf("got %v, %v", seen, err)
			}
			if got != test.want {
				t.Errorf("got %v, want %q", err, test.want)
			}
			for _, secret := range []string{assertion, "the-identity-header", "token-of-"} {
				if strings.Contains(log.String()+fmt.Sprint(err), secret) {
					t.Errorf("the log, or %v, holds %q", err, secret)
				}
			}
		})
	}
	want := map[string]int{"token-of-federated": 3, "token-of-of-environment": 1, "token-of-configured": 1, "token-of-user-assigned": 1, "token-of-pod": 1}
	if !maps.Equal(c.asked, want) {
		t.Errorf("asked for %v, want %v", c.asked, want)
	}
}

// serveHTTP serves http without TLS, like the token service of a pod, and returns its URL.
func serveHTTP(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func join(all ...map[string]string) map[string]string {
	joined := map[string]string{}
	for _, m := range all {
		maps.Copy(joined, m)
	}
	return joined
}
