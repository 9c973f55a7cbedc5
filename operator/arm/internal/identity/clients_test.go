package identity

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/config"
	"github.com/stratakube/strata/operator/arm/internal/rest"
)

// TestClientsAreBounded checks that credentials which are no longer used do not stay in memory.
func TestClientsAreBounded(t *testing.T) {
	c, err := config.Parse(map[string]string{"cloud": "custom", "endpoint": "https://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	clients := NewClients(c, rest.Options{})
	get := func(n int) *rest.Client {
		client, err := clients.For(map[string][]byte{AccessToken: fmt.Appendf(nil, "token%d", n)})
		if err != nil {
			t.Fatal(err)
		}
		return client
	}
	first, second := get(0), get(1)
	for n := range bound - 1 { // room for all but one
		get(2 + n)
		if get(0) != first {
			t.Fatalf("the one in use was dropped after %d others", n)
		}
	}
	if len(clients.known) != bound || clients.recent.Len() != bound {
		t.Errorf("%d are known and %d listed, want %d", len(clients.known), clients.recent.Len(), bound)
	}
	if get(1) == second {
		t.Error("the one that was not used for longest was kept")
	}
}

func TestCredentialsAreDistinguished(t *testing.T) {
	values := func(pairs ...string) map[string][]byte {
		m := map[string][]byte{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = []byte(pairs[i+1])
		}
		return m
	}
	if digestOf(values("a", "bc")) == digestOf(values("ab", "c")) {
		t.Error("a key ends where its value begins")
	}
	if digestOf(values("a", "b", "c", "d")) != digestOf(values("c", "d", "a", "b")) {
		t.Error("the order of a map matters")
	}
}

// TestNoIdentityIsAskedInVain covers configurations with which no identity may or can be used. They
// are refused before a token is asked for.
func TestNoIdentityIsAskedInVain(t *testing.T) {
	for _, test := range []struct {
		reason      string
		environment map[string]string
		endpoint    string
		config      map[string]string
		want        string
	}{
		{"others could read the token of the default chain", nil, "http://127.0.0.1:1", map[string]string{"authority": "https://127.0.0.1:2"}, "the endpoint is http"},
		{"or that of a managed identity", nil, "http://127.0.0.1:1", map[string]string{"authority": "https://127.0.0.1:2", "client": "ada"}, "the endpoint is http"},
		{"or that of a federated one", map[string]string{"AZURE_FEDERATED_TOKEN_FILE": "/none"}, "http://127.0.0.1:1", map[string]string{"authority": "https://127.0.0.1:2"}, "the endpoint is http"},
		{"no service issues tokens", nil, "https://127.0.0.1:1", nil, "no URL that issues tokens"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			for _, key := range []string{TenantID, ClientID, ClientSecret, Certificate, AccessToken, "AZURE_FEDERATED_TOKEN_FILE"} {
				t.Setenv(key, test.environment[key])
			}
			values := map[string]string{"cloud": "custom", "endpoint": test.endpoint}
			maps.Copy(values, test.config)
			c, err := config.Parse(values)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := NewClients(c, rest.Options{}).For(nil); RefusalOf(err) == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
