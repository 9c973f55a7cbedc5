package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/certs"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/server"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
)

// files are a certificate in files, and the pool that trusts it.
type files struct {
	cert, key string
	roots     *x509.CertPool
}

// write writes a certificate that is valid for 127.0.0.1.
func write(t *testing.T, dir string) files {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	key, err := x509.MarshalPKCS8PrivateKey(s.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	f := files{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"), x509.NewCertPool()}
	f.roots.AddCert(s.Certificate())
	for name, block := range map[string]*pem.Block{
		f.cert: {Type: "CERTIFICATE", Bytes: s.Certificate().Raw},
		f.key:  {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// client returns a client that connects as an API server does.
func (f files) client(http2 bool) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: f.roots}, Protocols: protocols, MaxIdleConnsPerHost: 16,
	}}
}

// running is a server in this process.
type running struct {
	conversions, metrics, probes string
	stop                         context.CancelFunc
	done                         chan error
}

func start(t *testing.T, options server.Options) *running {
	t.Helper()
	options.Scheme = k8sruntime.NewScheme()
	if err := runtime.AddToScheme(options.Scheme, example.AddToScheme); err != nil {
		t.Fatal(err)
	}
	options.Address, options.ProbeAddress = "127.0.0.1:0", "127.0.0.1:0"
	r := &running{done: make(chan error, 1)}
	listening := make(chan struct{})
	options.Listening = func(conversions, metrics, probes net.Addr) {
		r.conversions, r.probes = "https://"+conversions.String()+webhook.Path, "http://"+probes.String()
		if metrics != nil {
			r.metrics = "http://" + metrics.String() + "/metrics"
		}
		close(listening)
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.done <- server.Run(ctx, options) }()
	select {
	case <-listening:
	case err := <-r.done:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-r.done; err != nil {
			t.Log(err) // tests of the end of a server look at what it returns
		}
	})
	return r
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// eventually waits until holds returns true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

func (r *running) waitReady(t *testing.T) {
	t.Helper()
	eventually(t, "ready", func() bool {
		status, _ := get(t, r.probes+"/readyz")
		return status == http.StatusOK
	})
}

func withFiles(t *testing.T) (files, server.Options) {
	t.Helper()
	f := write(t, t.TempDir())
	return f, server.Options{Certificates: certs.NewFiles(f.cert, f.key, nil)}
}

const person = `{"apiVersion":"crm.example.com/v20110101","kind":"Person","metadata":{"name":"ann"},"spec":{"location":"north"}}`

func reviewOf(objects ...string) string {
	return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"crm.example.com/v20190909","objects":[` + strings.Join(objects, ",") + `]}}`
}

func post(client *http.Client, url string, body io.Reader) (*http.Response, []byte, error) {
	response, err := client.Post(url, "application/json", body)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	return response, answer, err
}

func isSuccess(answer []byte, objects int) bool {
	return bytes.Contains(answer, []byte(`"status":"Success"`)) && bytes.Count(answer, []byte(`"apiVersion":"crm.example.com/v20190909"`)) == objects
}
