package originalversion_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// secrets creates a resource that outputs a key, and a child that needs a password. Secrets
// contain both values. Neither value may be in the operator's output, or in other objects of the
// cluster.
func (s *site) secrets(t *testing.T, o *env.Operator) {
	const label, password, changed = "v20250601", "correct horse battery", "staple correct horse"
	accounts, pools := s.kind(t, "BatchAccount"), s.kind(t, "BatchAccountsPool")
	clients, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	secrets := clients.CoreV1().Secrets("default")

	account := accounts.object(label, "keyed", map[string]any{"location": "westeurope", "properties": map[string]any{}})
	account.SetAnnotations(map[string]string{"strata.dev/outputs": `[{"path":"listKeys().primaryKey","name":"keys","key":"primary"}]`})
	if _, err := s.of(accounts, label).Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.awaitReady(t, accounts, "keyed")
	given, err := secrets.Get(t.Context(), "keys", metav1.GetOptions{})
	if err != nil || len(given.Data["primary"]) == 0 {
		t.Fatalf("the key that was given out is %q (%v)", given.Data, err)
	}

	wanted := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "passwords"}, Data: map[string][]byte{"ann": []byte(password)}}
	if wanted, err = secrets.Create(t.Context(), wanted, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.create(t, pools, label, "guarded", map[string]any{
		"owner":      map[string]any{"name": "keyed"},
		"properties": map[string]any{"vmSize": "small", "userAccounts": []any{map[string]any{"name": "ann"}}},
		"secretRefs": []any{map[string]any{"path": "properties.userAccounts[0].password", "name": "passwords", "key": "ann"}},
	})
	s.awaitReady(t, pools, "guarded")
	wanted.Data["ann"] = []byte(changed)
	if _, err := secrets.Update(t.Context(), wanted, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	shared.Eventually(t, patience, "the password is sent", func() error {
		puts := s.puts(pools, "guarded")
		if len(puts) != 2 || !strings.Contains(string(puts[0].Body), password) || !strings.Contains(string(puts[1].Body), changed) {
			return fmt.Errorf("the bodies are %v", summary(puts))
		}
		return nil
	})

	object, err := json.Marshal(s.get(t, pools, pools.hub, "guarded"))
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"the object": string(object), "the operator's log": o.Output()} {
		for _, value := range []string{password, changed, string(given.Data["primary"])} {
			if strings.Contains(text, value) {
				t.Errorf("%s has a secret in it", where)
			}
		}
	}
}
