package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/encrypted"
)

// TestKeyOfCosign signs by a key that is encrypted as cosign does, and verifies by its public key.
func TestKeyOfCosign(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := encrypted.Encrypt(der, []byte("a password"))
	if err != nil {
		t.Fatal(err)
	}
	der, err = x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, body []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	private := file("cosign.key", pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED SIGSTORE PRIVATE KEY", Bytes: secret}))
	public := file("cosign.pub", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	const release, other = `{"_type": "a release"}`, `{"_type": "another release"}`
	blob, bundle := file("blob", []byte(release)), filepath.Join(dir, "bundle")

	t.Setenv("COSIGN_PASSWORD", "another")
	if err := run(t.Context(), []string{"sign", "-key=" + private, blob, bundle}); err == nil || !strings.Contains(err.Error(), "COSIGN_PASSWORD") {
		t.Errorf("another password: %v", err)
	}
	t.Setenv("COSIGN_PASSWORD", "a password")
	for _, flags := range [][]string{nil, {"-statement"}} {
		do := func(verb, key string) error {
			return run(t.Context(), append(append([]string{verb, "-key=" + key}, flags...), blob, bundle))
		}
		if err := do("sign", private); err != nil {
			t.Fatal(err)
		}
		if err := do("verify", public); err != nil {
			t.Error(err)
		}
		file("blob", []byte(other))
		if err := do("verify", public); err == nil {
			t.Error("another file is verified")
		}
		file("blob", []byte(release))
	}
	if err := run(t.Context(), []string{"sign", "-key=" + public, blob, bundle}); err == nil || !strings.Contains(err.Error(), "no private key") {
		t.Errorf("a public key signs: %v", err)
	}
	if err := run(t.Context(), []string{"verify", blob, bundle}); err == nil || !strings.Contains(err.Error(), "nothing says whom to trust") {
		t.Errorf("nobody is trusted: %v", err)
	}
}

// TestIdentity verifies a bundle that the public services of Sigstore have made, without a network:
// the library has it as an example. It was signed by the workflow of a repository.
func TestIdentity(t *testing.T) {
	printed, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/sigstore/sigstore-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	examples := filepath.Join(strings.TrimSpace(string(printed)), "examples")
	bundle, trusted := filepath.Join(examples, "bundle-provenance.json"), filepath.Join(examples, "trusted-root-public-good.json")
	text, err := os.ReadFile(bundle)
	if err != nil {
		t.Fatal(err)
	}
	var content struct{ DsseEnvelope struct{ Payload string } }
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	payload, err := base64.StdEncoding.DecodeString(content.DsseEnvelope.Payload)
	if err != nil {
		t.Fatal(err)
	}
	statement := filepath.Join(t.TempDir(), "statement.json")
	if err := os.WriteFile(statement, payload, 0o600); err != nil {
		t.Fatal(err)
	}
	const workflow, actions = "https://github.com/sigstore/sigstore-js/.github/workflows/release.yml@refs/heads/main", "https://token.actions.githubusercontent.com"
	for _, test := range []struct {
		reason, identity, issuer, want string
	}{
		{"the workflow", workflow, actions, ""},
		{"another workflow", workflow + "2", actions, "expected SAN value"},
		{"another issuer", workflow, "https://accounts.example.com", "expected issuer"},
	} {
		args := []string{"verify", "-statement", "-root=" + trusted, "-identity=" + test.identity, "-issuer=" + test.issuer, statement, bundle}
		err := run(t.Context(), args)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
	}
	if err := os.WriteFile(statement, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"verify", "-statement", "-root=" + trusted, "-identity=" + workflow, "-issuer=" + actions, statement, bundle}); err == nil || !strings.Contains(err.Error(), "another statement") {
		t.Errorf("another statement: %v", err)
	}
}

// TestNoIdentity requires an error if nobody issues a certificate.
func TestNoIdentity(t *testing.T) {
	blob := filepath.Join(t.TempDir(), "blob")
	if err := os.WriteFile(blob, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	asked := ""
	fulcio := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Authorization")
		http.Error(w, "this identity is not trusted", http.StatusForbidden)
	}))
	defer fulcio.Close()
	args := []string{"sign", "-fulcio=" + fulcio.URL, "-rekor=" + fulcio.URL, blob, blob + ".bundle"}
	if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), "SIGSTORE_ID_TOKEN") {
		t.Errorf("no token: %v", err)
	}
	token := "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss": "https://example.com", "sub": "joe", "email": "joe@example.com", "email_verified": true}`)) + ".c2ln"
	t.Setenv("SIGSTORE_ID_TOKEN", token)
	if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), "this identity is not trusted") || asked != "Bearer "+token {
		t.Errorf("a refusal: %v", err)
	}
	if err := run(t.Context(), []string{"sign", "-key=" + blob, "-fulcio=" + fulcio.URL, blob, blob + ".bundle"}); err == nil || !strings.Contains(err.Error(), "either a key or") {
		t.Errorf("a key and an identity: %v", err)
	}
}

// TestTokenOfWorkflow asks for a token as a workflow does.
func TestTokenOfWorkflow(t *testing.T) {
	status := http.StatusOK
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" || r.URL.Query().Get("audience") != "sigstore" || r.URL.Query().Get("api") != "2" {
			t.Errorf("it asks %s", r.URL)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"value": "a token"}`))
	}))
	defer host.Close()
	t.Setenv("SIGSTORE_ID_TOKEN", "")
	t.Setenv(requestVariable, host.URL+"/?api=2")
	t.Setenv(bearerVariable, "secret")
	if token, err := identityToken(t.Context()); err != nil || token != "a token" {
		t.Errorf("the token is %q (%v)", token, err)
	}
	status = http.StatusForbidden
	if _, err := identityToken(t.Context()); err == nil || !strings.Contains(err.Error(), "the status 403 and no token") {
		t.Errorf("a refusal: %v", err)
	}
}
