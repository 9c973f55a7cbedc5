package certs_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/webhook/certs"
)

// double is an API server with one CRD and room for one Secret. It records the requests.
type double struct {
	mu     sync.Mutex
	crd    *apix.CustomResourceDefinition
	secret *corev1.Secret
	asked  []string
}

const (
	crdPath     = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/persons.crm.example.com"
	secretsPath = "/api/v1/namespaces/strata/secrets"
)

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ask := r.Method + " " + r.URL.Path
	if strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata") {
		ask += " head"
	}
	d.asked = append(d.asked, ask)
	w.Header().Set("Content-Type", "application/json")
	var answer any
	switch ask {
	case "GET " + crdPath, "GET " + crdPath + " head":
		answer = d.crd
	case "PATCH " + crdPath, "PATCH " + crdPath + " head":
		answer = d.patch(r.Body)
	case "GET " + secretsPath + "/certificates":
		if d.secret == nil {
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: metav1.StatusReasonNotFound, Code: 404}
		} else {
			answer = d.secret
		}
	case "POST " + secretsPath:
		d.secret = new(corev1.Secret)
		_ = json.NewDecoder(r.Body).Decode(d.secret)
		d.secret.ResourceVersion = "1"
		w.WriteHeader(http.StatusCreated)
		answer = d.secret
	default:
		w.WriteHeader(http.StatusForbidden)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (d *double) patch(body io.Reader) any {
	data, _ := io.ReadAll(body)
	if json.Unmarshal(data, d.crd) == nil {
		d.crd.ResourceVersion = "2"
	}
	return d.crd
}

// TestClientAsksForLittle checks that the client uses no discovery and no lists, and reads whole
// CRDs only when they have changed.
func TestClientAsksForLittle(t *testing.T) {
	crd := crdOf("persons.crm.example.com")
	crd.TypeMeta = metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}
	crd.ResourceVersion = "1"
	api := &double{crd: crd}
	server := httptest.NewServer(api)
	defer server.Close()
	c, err := certs.NewClient(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := certs.NewManaged(c, certs.ManagedOptions{Secret: secretName, CRDs: []string{crd.Name}, Names: []string{serverName}})
	if err != nil {
		t.Fatal(err)
	}
	sync1(t, m)
	sync1(t, m)
	want := []string{
		"GET " + crdPath, "GET " + secretsPath + "/certificates", "POST " + secretsPath, "PATCH " + crdPath,
		"GET " + crdPath + " head", "GET " + secretsPath + "/certificates",
	}
	got := slices.Clone(api.asked)
	for i := range got {
		if strings.HasPrefix(got[i], "PATCH") {
			got[i] = strings.TrimSuffix(got[i], " head")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := m.Ready(); err != nil {
		t.Error(err)
	}
	if _, err := shake(t, m, api.crd.Spec.Conversion.Webhook.ClientConfig.CABundle, &clock{now: time.Now()}); err != nil {
		t.Error(err)
	}
	if api.crd.Spec.Conversion.Webhook.ClientConfig.Service == nil {
		t.Error("the patch replaced more than the bundle")
	}
}
