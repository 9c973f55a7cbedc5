package provider_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/operator/provider"
)

// paths are the paths of the secrets of a resource.
type paths []string

func (p paths) SecretPaths() []string { return p }

func TestConceal(t *testing.T) {
	for _, test := range []struct {
		reason, path, body string
		want               string
		secrets, texts     string
	}{
		{"a member", "a.key", `{"a":{"key":"k","b":1.10}}`, `{"a":{"b":1.10}}`, "[a.key=k]", "[]"},
		{"in whatever letters", "a.key", `{"A":{"KEY":"k"}}`, `{"A":{}}`, "[A.KEY=k]", "[]"},
		{"at the root", "key", `{"key":"k"}`, `{}`, "[key=k]", "[]"},
		{"of elements of lists in lists", "a[][].key", `{"a":[[{"key":"x"},{}],[{"key":"y"}]]}`, `{"a":[[{},{}],[{}]]}`, "[a[0][0].key=x a[1][0].key=y]", "[]"},
		{"of members of maps", "a.*.key", `{"a":{"p":{"key":"x"},"q.r":{"key":"y"}}}`, `{"a":{"p":{},"q.r":{}}}`, `[a.p.key=x a["q.r"].key=y]`, "[]"},
		{"with a dot in its name", `a["x.y"]`, `{"a":{"x.y":"k"}}`, `{"a":{}}`, `[a["x.y"]=k]`, "[]"},
		{"lists stay, and their texts are known", "keys", `{"keys":["x","y"]}`, `{"keys":["x","y"]}`, "[]", "[x y]"},
		{"so do other values", "key", `{"key":{"value":"v"}}`, `{"key":{"value":"v"}}`, "[]", "[v]"},
		{"nothing is left as it is, byte for byte", "a.key", `{ "a" : { "b":1 } }`, `{ "a" : { "b":1 } }`, "[]", "[]"},
		{"a value of another kind", "a.key", `{"a":["key"]}`, `{"a":["key"]}`, "[]", "[]"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := provider.SecretPathsOf(paths{test.path}).Conceal([]byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			secrets, texts := []string{}, []string{}
			for _, s := range got.Secrets {
				secrets = append(secrets, s.GetPath()+"="+string(s.GetValue()))
			}
			for _, text := range got.Texts {
				texts = append(texts, string(text))
			}
			if diff := cmp.Diff([]string{test.want, test.secrets, test.texts}, []string{string(got.Body), fmt.Sprint(secrets), fmt.Sprint(texts)}); diff != "" {
				t.Errorf("concealed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPathsOfConcealedValues(t *testing.T) {
	secrets := provider.SecretPathsOf(paths{"vendorOwner.key"}).External(provider.Names{"vendorOwner": "owner"})
	got, err := secrets.Conceal([]byte(`{"owner":{"key":"k"},"vendorOwner":{"key":"x"}}`))
	if err != nil || len(got.Secrets) != 1 || got.Secrets[0].GetPath() != "owner.key" {
		t.Errorf("concealed: %s, %v (%v)", got.Body, got.Secrets, err)
	}
}
