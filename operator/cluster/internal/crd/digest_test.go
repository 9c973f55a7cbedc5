package crd_test

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

// TestDigest checks that a digest follows the spec of a CRD, and not the certificate of its
// webhook.
func TestDigest(t *testing.T) {
	const text = `{"metadata": {"generation": 1}, "spec": {"group": "example.com", "names": {"plural": "things"},
		"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"caBundle": "YQ==", "url": "https://a"}}},
		"versions": [{"name": "v1", "served": true, "storage": true}]}}`
	digest := func(text string) string {
		t.Helper()
		d, err := crd.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out, err := d.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := digest(text)
	if got := digest(strings.NewReplacer("YQ==", "Yg==", `"generation": 1`, `"generation": 2`).Replace(text)); got != first {
		t.Error("another certificate changes the digest")
	}
	for _, change := range [][]string{{"https://a", "https://b"}, {`"served": true`, `"served": false`}} {
		if digest(strings.NewReplacer(change...).Replace(text)) == first {
			t.Errorf("%q does not change the digest", change)
		}
	}
}
