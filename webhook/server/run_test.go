package server_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/certs"
	"github.com/stratakube/strata/webhook/server"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
)

func TestServesBothProtocols(t *testing.T) {
	f, options := withFiles(t)
	r := start(t, options)
	r.waitReady(t)
	large := make([]string, 5000)
	for i := range large {
		large[i] = person
	}
	for _, test := range []struct {
		reason string
		http2  bool
		proto  string
	}{
		{"HTTP/2, as for clients that are given a URL", true, "HTTP/2.0"},
		{"HTTP/1.1, as for those that are given a service", false, "HTTP/1.1"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			client := f.client(test.http2)
			defer client.CloseIdleConnections()
			for _, objects := range [][]string{{person}, large} {
				response, answer, err := post(client, r.conversions, strings.NewReader(reviewOf(objects...)))
				if err != nil {
					t.Fatal(err)
				}
				if response.Proto != test.proto || response.StatusCode != http.StatusOK || !isSuccess(answer, len(objects)) {
					t.Errorf("%s %s: %.300s", response.Proto, response.Status, answer)
				}
				// A small answer has a length. A large one is sent before its length is known.
				if (response.ContentLength >= 0) != (len(objects) == 1) {
					t.Errorf("%d objects came with length %d", len(objects), response.ContentLength)
				}
			}
		})
	}
}

func TestLimitsOverWire(t *testing.T) {
	f, options := withFiles(t)
	options.Limits = webhook.Limits{BodyBytes: 4 << 10, InFlight: 1}
	r := start(t, options)
	r.waitReady(t)
	client := f.client(false)
	defer client.CloseIdleConnections()
	long := reviewOf(person, `{"pad":"`+strings.Repeat("x", 5<<10)+`"}`)
	unknownLength := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }
	for _, test := range []struct {
		reason string
		body   io.Reader
		status int
		output string
	}{
		{"too long, and says so", strings.NewReader(long), 413, "longer than 4096 bytes"},
		{"too long in its head, of unknown length", unknownLength(strings.Repeat(" ", 5<<10)), 413, "too large"},
		{"too long behind its head, of unknown length", unknownLength(long), 200, `"status":"Failure","message":"read the review`},
		{"within bounds", strings.NewReader(reviewOf(person)), 200, `"status":"Success"`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			response, answer, err := post(client, r.conversions, test.body)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != test.status || !strings.Contains(string(answer), test.output) {
				t.Errorf("%s: %s", response.Status, answer)
			}
		})
	}
	t.Run("one whose rest has not arrived keeps nobody waiting", func(t *testing.T) {
		slow, feed := io.Pipe()
		answered := make(chan []byte, 1)
		go func() {
			_, answer, _ := post(client, r.conversions, slow)
			answered <- answer
		}()
		body := reviewOf(person)
		if _, err := io.WriteString(feed, body[:50]); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if response, answer, err := post(client, r.conversions, strings.NewReader(body)); err != nil || !isSuccess(answer, 1) {
				t.Errorf("%v: %s, %v", response, answer, err)
			}
		}
		_, _ = io.WriteString(feed, body[50:])
		_ = feed.Close()
		if answer := <-answered; !isSuccess(answer, 1) {
			t.Errorf("the slow one got %s", answer)
		}
	})
	t.Run("a header that is too large", func(t *testing.T) {
		request, err := http.NewRequest(http.MethodPost, r.conversions, strings.NewReader(reviewOf(person)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X", strings.Repeat("x", 128<<10))
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("status is %s", response.Status)
		}
	})
	t.Run("another path", func(t *testing.T) {
		response, _, err := post(client, strings.TrimSuffix(r.conversions, webhook.Path)+"/other", strings.NewReader(""))
		if err != nil || response.StatusCode != http.StatusNotFound {
			t.Errorf("%v, %v", response, err)
		}
	})
}

func TestOldTLSIsRefused(t *testing.T) {
	f, options := withFiles(t)
	options.MinTLS = tls.VersionTLS13
	r := start(t, options)
	r.waitReady(t)
	address := strings.TrimSuffix(strings.TrimPrefix(r.conversions, "https://"), webhook.Path)
	for version, want := range map[uint16]bool{tls.VersionTLS12: false, tls.VersionTLS13: true} {
		conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: f.roots, MaxVersion: version})
		if err == nil {
			_ = conn.Close()
		}
		if (err == nil) != want {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
	}
}

func TestReadyWhenThereIsCertificate(t *testing.T) {
	dir := t.TempDir()
	r := start(t, server.Options{Certificates: certs.NewFiles(dir+"/tls.crt", dir+"/tls.key", nil)})
	if status, _ := get(t, r.probes+"/livez"); status != http.StatusOK {
		t.Errorf("not alive: %d", status)
	}
	eventually(t, "only the certificate is missing", func() bool {
		status, body := get(t, r.probes+"/readyz")
		return status == http.StatusServiceUnavailable && strings.HasPrefix(body, "the certificate is not ready: there is no certificate yet")
	})
	write(t, dir)
	r.waitReady(t)
}

func TestMetricsCanBeOff(t *testing.T) {
	f, options := withFiles(t)
	r := start(t, options)
	r.waitReady(t)
	if r.metrics != "" {
		t.Errorf("metrics are served at %s", r.metrics)
	}
	_, options = withFiles(t)
	options.MetricsAddress = "127.0.0.1:0"
	options.Certificates = certs.NewFiles(f.cert, f.key, nil)
	r = start(t, options)
	r.waitReady(t)
	client := f.client(true)
	defer client.CloseIdleConnections()
	if _, _, err := post(client, r.conversions, strings.NewReader(reviewOf(person, strings.Replace(person, `"north"`, "1", 1)))); err != nil {
		t.Fatal(err)
	}
	_, body := get(t, r.metrics)
	for _, want := range []string{
		`strata_conversion_reviews_total{result="success"} 1`,
		`strata_conversion_objects_total{from="v20110101",group="crm.example.com",kind="Person",result="converted",to="v20190909"} 2`,
		`strata_conversion_raw_values_total{group="crm.example.com",kind="Person",version="v20110101"} 1`,
		`strata_conversion_certificate_expiry_timestamp_seconds 3`,
		`strata_conversion_reviews_in_flight 0`,
		`strata_conversion_review_duration_seconds_count 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	source := certs.NewFiles("a", "b", nil)
	for reason, test := range map[string]struct {
		options server.Options
		want    string
	}{
		"no scheme":                         {server.Options{Certificates: source}, "there is no scheme"},
		"no certificates":                   {server.Options{Scheme: k8sruntime.NewScheme()}, "there is no source of certificates"},
		"limits that contradict each other": {server.Options{Scheme: k8sruntime.NewScheme(), Certificates: source, Limits: webhook.Limits{BodyBytes: 1 << 30}}, "raise --max-in-flight-bytes"},
		"an address that is none":           {server.Options{Scheme: k8sruntime.NewScheme(), Certificates: source, Address: "here"}, "listen for conversions"},
	} {
		if err := server.Run(t.Context(), test.options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error is %v", reason, err)
		}
	}
}
