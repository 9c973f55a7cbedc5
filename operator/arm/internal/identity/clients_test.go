package identity

import (
	"fmt"
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
