package server_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/server"
)

// commanded is the command, run within this process.
type commanded struct {
	conversions string
	stop        context.CancelFunc
	code        chan int

	mu  sync.Mutex
	log []string
}

func (c *commanded) logged() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.log, "\n")
}

// begin runs the command, and reads its addresses from the log.
func begin(t *testing.T, args ...string) *commanded {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c := &commanded{stop: stop, code: make(chan int, 1)}
	log, stderr := io.Pipe()
	args = append([]string{"strata-webhook", "--address=127.0.0.1:0", "--metrics-address=off", "--probe-address=off", "--lame-duck=0s"}, args...)
	go func() {
		c.code <- server.Command(ctx, args, io.Discard, stderr, example.AddToScheme)
		_ = stderr.Close()
	}()
	address := regexp.MustCompile(`conversions["=:]+([0-9.:]+)`)
	listening := make(chan string, 1)
	go func() {
		defer close(listening)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			c.mu.Lock()
			c.log = append(c.log, lines.Text())
			c.mu.Unlock()
			if found := address.FindStringSubmatch(lines.Text()); found != nil {
				listening <- "https://" + found[1] + "/convert"
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		c.code <- <-c.code
	})
	c.conversions = <-listening
	if c.conversions == "" {
		t.Fatalf("the command ended: %s", c.logged())
	}
	return c
}

// TestLogs checks that flags choose the format and the level of the log, and its messages about
// reviews, the self-test and the end.
func TestLogs(t *testing.T) {
	f := write(t, t.TempDir())
	for _, test := range []struct {
		reason       string
		args         []string
		want, unlike []string
	}{
		{"JSON, where nothing else is asked for", nil, []string{`"msg":"serving"`, `"msg":"conversion review"`}, []string{"msg=", `"result":"success"`}},
		{"text", []string{"--log-format=text"}, []string{"msg=serving", `msg="conversion review"`, `msg="all conversions are answered"`}, []string{`"msg"`}},
		{"all", []string{"--log-level=debug"}, []string{`"msg":"serving"`, `"result":"success"`, `"result":"failure"`}, nil},
	} {
		t.Run(test.reason, func(t *testing.T) {
			c := begin(t, append(test.args, "--cert-file", f.cert, "--key-file", f.key)...)
			client := f.client(false)
			defer client.CloseIdleConnections()
			eventually(t, "a conversion", func() bool {
				_, answer, err := post(client, c.conversions, strings.NewReader(reviewOf(person)))
				return err == nil && isSuccess(answer, 1)
			})
			if _, _, err := post(client, c.conversions, strings.NewReader(reviewOf("1"))); err != nil {
				t.Error(err)
			}
			c.stop()
			if code := <-c.code; code != 0 {
				t.Errorf("exit code %d", code)
			}
			c.code <- 0
			logged := c.logged()
			for _, want := range test.want {
				if !strings.Contains(logged, want) {
					t.Errorf("the log lacks %s:\n%s", want, logged)
				}
			}
			for _, unlike := range append(test.unlike, "self-test failed") {
				if strings.Contains(logged, unlike) {
					t.Errorf("the log has %s:\n%s", unlike, logged)
				}
			}
		})
	}
}

// TestSpansAreSent checks that spans are sent before the command ends.
func TestSpansAreSent(t *testing.T) {
	var mu sync.Mutex
	var paths []string
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("ConversionReview")) {
			paths = append(paths, r.URL.Path)
		}
	}))
	defer collector.Close()
	f := write(t, t.TempDir())
	c := begin(t, "--cert-file", f.cert, "--key-file", f.key, "--otlp-endpoint="+collector.URL+"/v1/traces")
	client := f.client(false)
	defer client.CloseIdleConnections()
	eventually(t, "a conversion", func() bool {
		_, answer, err := post(client, c.conversions, strings.NewReader(reviewOf(person)))
		return err == nil && isSuccess(answer, 1)
	})
	c.stop()
	if code := <-c.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.code <- 0
	mu.Lock()
	defer mu.Unlock()
	if len(paths) == 0 || paths[0] != "/v1/traces" {
		t.Errorf("spans came to %q", paths)
	}
}

// TestCertificatesAreSharedBySecret checks that the command asks the API server of its kubeconfig
// for the Secret and the CRDs.
func TestCertificatesAreSharedBySecret(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]bool{}
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path] = true
		w.WriteHeader(http.StatusForbidden)
	}))
	defer cluster.Close()
	c := begin(t, "--secret=strata/certificates", "--crds=persons.crm.example.com", "--names=a.b.svc", "--kubeconfig="+server.Kubeconfig(t, cluster.URL))
	eventually(t, "the API server is asked", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return asked["/apis/apiextensions.k8s.io/v1/customresourcedefinitions/persons.crm.example.com"] || asked["/api/v1/namespaces/strata/secrets/certificates"]
	})
	c.stop()
	if code := <-c.code; code != 0 {
		t.Errorf("exit code %d: %s", code, c.logged())
	}
	c.code <- 0
}

// TestCommandFails checks that the error names the missing flag or file, and that the exit code
// is 1.
func TestCommandFails(t *testing.T) {
	for _, test := range []struct {
		reason string
		add    func(*k8sruntime.Scheme) error
		args   []string
		output string
	}{
		{"types that cannot be registered", func(*k8sruntime.Scheme) error { return errors.New("no way") }, []string{"--cert-file=a", "--key-file=b"}, "register types: no way"},
		{"a kubeconfig that there is not", example.AddToScheme, []string{"--secret=a/b", "--crds=c", "--names=d", "--kubeconfig=/nowhere"}, "reach the API server: "},
	} {
		t.Run(test.reason, func(t *testing.T) {
			code, _, stderr := command(t, test.add, test.args...)
			if code != 1 || !strings.Contains(stderr, "strata-webhook: error: ") || !strings.Contains(stderr, test.output) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
}

// TestLameDuckServes checks that the server is not ready, still converts, and asks clients for
// new connections, while load balancers learn that it ends.
func TestLameDuckServes(t *testing.T) {
	f, options := withFiles(t)
	options.LameDuck = time.Second
	r := start(t, options)
	r.waitReady(t)
	client := f.client(false)
	defer client.CloseIdleConnections()
	if response, _, err := post(client, r.conversions, strings.NewReader(reviewOf(person))); err != nil || response.Close {
		t.Errorf("before: %v, %v", response, err)
	}
	r.stop()
	eventually(t, "it is not ready", func() bool {
		status, body := get(t, r.probes+"/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "shutting down")
	})
	response, answer, err := post(client, r.conversions, strings.NewReader(reviewOf(person)))
	if err != nil || !isSuccess(answer, 1) || !response.Close {
		t.Errorf("%v: %.300s, %v", response, answer, err)
	}
}

// TestReviewsThatLastAreCutOff checks that the server waits for running reviews for the given time,
// and reports that some were not answered.
func TestReviewsThatLastAreCutOff(t *testing.T) {
	f, options := withFiles(t)
	options.MetricsAddress = "127.0.0.1:0"
	options.Drain = 100 * time.Millisecond
	options.Limits.Grace = time.Hour
	r := start(t, options)
	r.waitReady(t)
	against(t, f, r).write(head + "Content-Length: 100\r\n\r\n{")
	eventually(t, "under way", func() bool { return reviewsInFlight(t, r) == 1 })
	r.stop()
	err := <-r.done
	r.done <- nil
	if err == nil || !strings.Contains(err.Error(), "conversions were not all answered within 100ms") {
		t.Errorf("error is %v", err)
	}
}
