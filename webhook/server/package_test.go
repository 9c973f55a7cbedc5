package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/certs"
	"github.com/stratakube/strata/webhook/internal/example"
)

// packaged holds the manifests of the generated package that configure a server.
type packaged struct {
	deployment appsv1.Deployment
	service    corev1.Service
	secret     corev1.Secret
}

// readPackage reads the generated package.
func readPackage(t *testing.T) (p packaged) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "internal", "example", "config", "webhook.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	into := map[string]any{"Deployment": &p.deployment, "Service": &p.service, "Secret": &p.secret}
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		manifest, err := yaml.ToJSON(document)
		if err != nil {
			t.Fatal(err)
		}
		var of struct{ Kind string }
		if err := json.Unmarshal(manifest, &of); err != nil {
			t.Fatal(err)
		}
		if object := into[of.Kind]; object != nil {
			if err := json.Unmarshal(manifest, object); err != nil {
				t.Fatal(err)
			}
			delete(into, of.Kind)
		}
	}
	if len(into) > 0 {
		t.Fatalf("the package lacks %v", into)
	}
	return p
}

// parsed returns the flags of a container.
func parsed(t *testing.T, c *corev1.Container) *flags {
	t.Helper()
	f := newFlags("strata-webhook")
	if err := f.parse(c.Args); err != nil {
		t.Fatalf("the server refuses the arguments %q: %v", c.Args, err)
	}
	return f
}

// number returns the port of a container that a service or a probe refers to.
func number(t *testing.T, c *corev1.Container, port intstr.IntOrString) string {
	t.Helper()
	for _, p := range c.Ports {
		if p.Name == port.StrVal {
			return strconv.Itoa(int(p.ContainerPort))
		}
	}
	t.Fatalf("there is no port %s", port.String())
	return ""
}

// TestPackageFitsServer compares the manifests of the generator, which cannot import the
// server, with the server's flags.
func TestPackageFitsServer(t *testing.T) {
	p := readPackage(t)
	pod := &p.deployment.Spec.Template.Spec
	c := &pod.Containers[0]
	f := parsed(t, c)

	address := map[string]string{"conversion": f.options.Address, "metrics": f.options.MetricsAddress}
	for _, port := range p.service.Spec.Ports {
		if got := ":" + number(t, c, port.TargetPort); got != address[port.Name] {
			t.Errorf("the service sends %s to %s, and the server listens on %s", port.Name, got, address[port.Name])
		}
	}
	for what, probe := range map[string]*corev1.Probe{"liveness": c.LivenessProbe, "readiness": c.ReadinessProbe} {
		if got := ":" + number(t, c, probe.HTTPGet.Port); got != f.options.ProbeAddress {
			t.Errorf("%s is asked for at %s, and the server listens on %s", what, got, f.options.ProbeAddress)
		}
	}
	if ending := f.options.LameDuck + f.options.Drain; time.Duration(*pod.TerminationGracePeriodSeconds)*time.Second <= ending {
		t.Errorf("the server is killed after %d s, and takes up to %s to end", *pod.TerminationGracePeriodSeconds, ending)
	}
	if err := fitsMemory(f, c); err != nil {
		t.Error(err)
	}
	if got, want := f.secret, p.secret.Namespace+"/"+p.secret.Name; got != want {
		t.Errorf("the server keeps certificates in %s, and the package brings %s", got, want)
	}
	if got, want := f.names, p.service.Name+"."+p.service.Namespace+".svc"; got != want {
		t.Errorf("certificates are for %s, and the API server calls %s", got, want)
	}
}

// fitsMemory checks that the memory of the server stays below GOMEMLIMIT, where Go collects more
// often. That must be below the limit of the container. Besides what reviews use, as much garbage
// is counted.
func fitsMemory(f *flags, c *corev1.Container) error {
	const ofReview, ofConnection = 2 * 32 << 10, 40 << 10
	l := f.options.Limits
	takes := 2*l.InFlightBytes + int64(l.Open)*ofReview + int64(f.options.Connections)*ofConnection
	var mebibytes int64
	for _, env := range c.Env {
		if env.Name == "GOMEMLIMIT" {
			_, _ = fmt.Sscanf(env.Value, "%dMiB", &mebibytes)
		}
	}
	if heap, all := mebibytes<<20, c.Resources.Limits.Memory().Value(); takes > heap || heap > all*9/10 {
		return fmt.Errorf("the server takes up to %d bytes, GOMEMLIMIT is %d, and the container has %d", takes, heap, all)
	}
	return nil
}

// TestPackageAsksForProbesThatThereAre runs a server as the package does, on other addresses and
// with a certificate from files, and sends it the requests of the package.
func TestPackageAsksForProbesThatThereAre(t *testing.T) {
	p := readPackage(t)
	c := &p.deployment.Spec.Template.Spec.Containers[0]
	options := parsed(t, c).options
	options.Address, options.MetricsAddress, options.ProbeAddress, options.LameDuck = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", 0
	options.Certificates = certs.NewFiles(filepath.Join(t.TempDir(), "tls.crt"), filepath.Join(t.TempDir(), "tls.key"), nil)
	options.Scheme = k8sruntime.NewScheme()
	if err := runtime.AddToScheme(options.Scheme, example.AddToScheme); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	options.Listening = func(_, _, probes net.Addr) { listening <- probes.String() }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, options) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	probes := <-listening
	for what, test := range map[string]struct {
		path string
		want int
	}{
		"liveness":               {c.LivenessProbe.HTTPGet.Path, http.StatusOK},
		"readiness":              {c.ReadinessProbe.HTTPGet.Path, http.StatusServiceUnavailable}, // there is no certificate
		"what is served nowhere": {webhook.Path, http.StatusNotFound},
	} {
		response, err := http.Get("http://" + probes + test.path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != test.want {
			t.Errorf("%s: GET %s gives %s, want %d", what, test.path, response.Status, test.want)
		}
	}
}
