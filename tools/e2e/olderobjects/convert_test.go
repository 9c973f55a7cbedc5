package olderobjects_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/tools/e2e/fixtures"
)

// converter calls a webhook as an API server does.
type converter struct {
	url    string
	client *http.Client
}

func newConverter(config v1.WebhookClientConfig) converter {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(config.CABundle)
	return converter{*config.URL, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}}}}
}

// convert returns an object in another API version.
func (c converter) convert(t *testing.T, object map[string]any, apiVersion string) map[string]any {
	t.Helper()
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(v1.ConversionReview{Request: &v1.ConversionRequest{
		UID: "1", DesiredAPIVersion: apiVersion, Objects: []runtime.RawExtension{{Raw: raw}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	body = bytes.Replace(body, []byte("{"), []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview",`), 1)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var review struct{ Response v1.ConversionResponse }
	if err := json.NewDecoder(response.Body).Decode(&review); err != nil {
		t.Fatalf("%s: %v", response.Status, err)
	}
	if review.Response.Result.Status != "Success" || len(review.Response.ConvertedObjects) != 1 {
		t.Fatalf("convert to %s: %v\n%s", apiVersion, review.Response.Result, raw)
	}
	var out map[string]any
	if err := json.Unmarshal(review.Response.ConvertedObjects[0].Raw, &out); err != nil {
		t.Fatal(err)
	}
	fixtures.Integers(out)
	return out
}
