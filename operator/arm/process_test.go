package arm_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/arm"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

const (
	tenant       = "11111111-2222-3333-4444-555555555555"
	clientSecret = "the-client-secret-~1"
	password     = "the-password-of-anna"
	storedKey    = "the-key-that-is-listed"
)

// cloud issues tokens and serves ARM on one host, over TLS. A token has the name of the flow that
// requested it.
type cloud struct {
	*httptest.Server
	mu     sync.Mutex
	asked  map[string]int // how often, by token
	bodies []string
	polls  int
}

func startCloud(t *testing.T) *cloud {
	c := &cloud{asked: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /"+tenant+"/v2.0/.well-known/openid-configuration", c.metadata)
	mux.HandleFunc("POST /"+tenant+"/oauth2/v2.0/token", c.token)
	mux.HandleFunc("/subscriptions/", c.resource)
	c.Server = httptest.NewTLSServer(mux)
	t.Cleanup(c.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
	if err := os.WriteFile(authority, block, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", authority)
	return c
}

func (c *cloud) metadata(w http.ResponseWriter, _ *http.Request) {
	base := c.URL + "/" + tenant
	_ = json.NewEncoder(w).Encode(map[string]string{
		"issuer": base + "/v2.0", "token_endpoint": base + "/oauth2/v2.0/token", "authorization_endpoint": base + "/oauth2/v2.0/authorize",
	})
}

func (c *cloud) token(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	token := "token-of-" + r.FormValue("client_id")
	c.asked[token]++
	isProven := r.FormValue("client_secret") == clientSecret || strings.Count(r.FormValue("client_assertion"), ".") == 2
	if !isProven || !strings.Contains(r.FormValue("scope"), "https://audience.example.com/.default") {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided."}`)
		return
	}
	fmt.Fprintf(w, `{"token_type":"Bearer","expires_in":3600,"access_token":%q}`, token)
}

func (c *cloud) resource(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch {
	case strings.HasSuffix(r.URL.Path, "/listKeys"):
		fmt.Fprintf(w, `{"key":%q}`, storedKey)
	case strings.Contains(r.URL.Path, "/operations/"):
		if c.polls++; c.polls < 2 {
			fmt.Fprint(w, `{"status":"Running"}`)
			return
		}
		fmt.Fprint(w, `{"status":"Succeeded"}`)
	case r.Header.Get("Authorization") != "Bearer token-of-"+name:
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == http.MethodPut:
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		c.bodies = append(c.bodies, body.String())
		w.Header().Set("Azure-AsyncOperation", c.URL+"/subscriptions/s/operations/"+name+"?sig=the-signature")
		w.WriteHeader(http.StatusCreated)
	default:
		fmt.Fprintf(w, `{"properties":{"age":40}}`)
	}
}

// certificate returns a certificate with its key, as PEM.
func certificate(t *testing.T) []byte {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "app"}, NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
}

// TestProcess runs the plugin as hosts do, against a cloud over TLS, with credentials of each
// kind. Each step uses a new process.
func TestProcess(t *testing.T) {
	c := startCloud(t)
	program := plugintest.Build(t, "./cmd/strata-arm")
	log := &plugintest.Log{}
	get := func() provider.Provider {
		locked, err := host.Lock(program)
		if err != nil {
			t.Fatal(err)
		}
		h := plugintest.Open(t, host.Options{Plugins: []host.Plugin{locked}, Log: log.Logger(), Environment: []string{"AZURE_*"}})
		return plugintest.Get(t, h, provider.Version, arm.Name, map[string]string{
			"cloud": "custom", "endpoint": c.URL, "authority": c.URL, "audience": "https://audience.example.com", "tenant": tenant,
		})
	}
	pem := certificate(t)
	tests := []struct {
		reason, name string
		values       map[string][]byte
		want         string
	}{
		{"a client secret", "secret", map[string][]byte{"AZURE_CLIENT_ID": []byte("secret"), "AZURE_CLIENT_SECRET": []byte(clientSecret)}, "done"},
		{"a certificate", "cert", map[string][]byte{"AZURE_CLIENT_ID": []byte("cert"), "AZURE_CLIENT_CERTIFICATE": pem}, "done"},
		{"a token that another plugin got", "given", map[string][]byte{
			"AZURE_ACCESS_TOKEN": []byte("token-of-given"), "AZURE_ACCESS_TOKEN_EXPIRES": []byte(time.Now().Add(time.Hour).Format(time.RFC3339)),
		}, "done"},
		{"none: those of the environment", "own", nil, "done"},
		{"a secret that is refused", "wrong", map[string][]byte{"AZURE_CLIENT_ID": []byte("wrong"), "AZURE_CLIENT_SECRET": []byte("not-" + clientSecret)},
			"UNAUTHORIZED the credentials do not do: AADSTS7000215: Invalid client secret provided."},
		{"a token that is over", "late", map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("token-of-late"), "AZURE_ACCESS_TOKEN_EXPIRES": []byte("2020-01-01T00:00:00Z")},
			"UNAUTHORIZED credentials: the token expired at 2020-01-01T00:00:00Z"},
		{"a Secret that lacks all", "lacks", map[string][]byte{"AZURE_CLIENT_ID": []byte("x")}, "UNAUTHORIZED credentials: the Secret has none of"},
		{"a certificate that is none", "broken", map[string][]byte{"AZURE_CLIENT_ID": []byte("x"), "AZURE_CLIENT_CERTIFICATE": []byte(clientSecret)},
			"UNAUTHORIZED credentials: AZURE_CLIENT_CERTIFICATE"},
		{"a token of a source that was not asked", "source", map[string][]byte{"source": []byte("x")}, "UNAUTHORIZED"},
	}
	t.Setenv("AZURE_CLIENT_ID", "own")
	t.Setenv("AZURE_CLIENT_SECRET", clientSecret)
	var errs strings.Builder
	first, second := get(), get()
	for _, test := range tests {
		c.polls = 0
		about := subject(func(r *v1.Resource) {
			r.Place.Name, r.Credentials = test.name, &v1.Credentials{Source: string(test.values["source"]), Values: test.values}
			r.Secrets = []*v1.Secret{{Path: "properties.password", Value: []byte(password)}, {Path: "listKeys().key"}}
		})
		out, err := first.Apply(t.Context(), &provider.ApplyRequest{Subject: about})
		for _, next := range []provider.Provider{second, first} {
			if err == nil {
				out, err = next.Poll(t.Context(), &provider.OperationRequest{Subject: about, Operation: out.GetOperation()})
			}
		}
		got := "done"
		if f := provider.FailureOf(err); f != nil {
			got = strings.TrimPrefix(f.GetReason().String(), "REASON_") + " " + f.GetMessage()
			errs.WriteString(got + "\n")
			got = strings.Replace(got, "call ARM for "+about.GetResource().GetPlace().GetParent()+"/providers/Microsoft.Crm/persons/"+test.name+": ", "", 1)
		} else if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
		if values := out.GetObservation().GetSecrets(); test.want == "done" && (len(values) != 1 || string(values[0].GetValue()) != storedKey) {
			t.Errorf("%s: got the outputs %v, want the key", test.reason, out.GetObservation())
		}
	}
	for _, body := range c.bodies {
		if want := `{"properties":{"age":40,"password":"` + password + `"}}`; body != want {
			t.Errorf("put %s, want %s", body, want)
		}
	}
	if len(c.bodies) != 4 {
		t.Errorf("there were %d puts, want 4", len(c.bodies))
	}
	for _, token := range []string{"token-of-secret", "token-of-cert", "token-of-own"} {
		if n := c.asked[token]; n != 2 {
			t.Errorf("%s was asked for %d times, want once in each of two processes", token, n)
		}
	}
	written := log.String() + errs.String()
	if !strings.Contains(written, "called ARM") {
		t.Errorf("the log does not tell of calls:\n%s", written)
	}
	for _, secret := range []string{clientSecret, password, storedKey, "token-of-", "the-signature", "PRIVATE KEY", string(pem[100:140])} {
		if i := strings.Index(written, secret); i >= 0 {
			t.Errorf("the log holds %q: ...%s", secret, written[max(0, i-200):min(len(written), i+50)])
		}
	}
}

// TestMany observes concurrently with more credentials than are stored. Each call has the token
// of its own resource.
func TestMany(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		if r.Header.Get("Authorization") != "Bearer token-"+name {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"name":%q,"properties":{"age":40}}`, name)
	}))
	defer server.Close()
	p := fresh(t, server.URL)
	var group sync.WaitGroup
	for n := range 600 {
		group.Go(func() {
			name := fmt.Sprintf("n%d", n%300)
			seen, err := p.Observe(t.Context(), subject(func(r *v1.Resource) {
				r.Place.Name = name
				r.Credentials = &v1.Credentials{Values: map[string][]byte{"AZURE_ACCESS_TOKEN": []byte("token-" + name)}}
			}))
			if want := fmt.Sprintf(`{"name":%q,"properties":{"age":40}}`, name); err != nil || string(seen.GetObservation().GetStatus()) != want {
				t.Errorf("%s: got %v, %v", name, seen, err)
			}
		})
	}
	group.Wait()
}

// TestHTTPNeedsToken checks that a client secret is not used for a token that http would expose.
func TestHTTPNeedsToken(t *testing.T) {
	p := fresh(t, "http://127.0.0.1:1")
	_, err := p.Observe(t.Context(), subject(func(r *v1.Resource) {
		r.Credentials = &v1.Credentials{Values: map[string][]byte{
			"AZURE_TENANT_ID": []byte(tenant), "AZURE_CLIENT_ID": []byte("c"), "AZURE_CLIENT_SECRET": []byte(clientSecret),
		}}
	}))
	if f := provider.FailureOf(err); f.GetReason() != provider.Reason_REASON_UNAUTHORIZED || !strings.Contains(f.GetMessage(), "the endpoint is http") {
		t.Errorf("got %v, want a refusal", err)
	}
}
