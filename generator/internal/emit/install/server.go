package install

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/stratakube/strata/generator/internal/plan"
)

// What follows are the server's defaults and the flags of package webhook/server,
// which this module cannot import: tests there hold a generated Deployment against
// them.

// The ports where the server listens.
const (
	conversionPort = 9443
	metricsPort    = 8080
	probePort      = 8081
)

// The paths of its probes: alive as soon as it runs, ready when it can convert.
const (
	livePath  = "/livez"
	readyPath = "/readyz"
)

// gracePeriod is how many seconds the server has to end: it serves on for 10, finishes
// what is under way for up to 30, and sends its last spans for up to 5.
const gracePeriod = 60

// memoryLimit is what the server may take, and heapLimit when Go collects garbage more often: at
// nine tenths of it. The server's own limits are far below.
const (
	memoryLimit = "1Gi"
	heapLimit   = "921MiB"
)

// certDir is where certificates that others make are mounted.
const certDir = "/certs"

// arguments returns the arguments of the server. The server issues its certificates, stores them in
// a Secret and writes their CA into the CRDs; or it reads them from files.
func (o Options) arguments(p *plan.Plan, v values) []string {
	if o.CertManager {
		return []string{"--cert-file=" + certDir + "/" + corev1.TLSCertKey, "--key-file=" + certDir + "/" + corev1.TLSPrivateKeyKey}
	}
	return []string{
		"--secret=" + v.namespace + "/" + o.certificate(),
		"--crds=" + strings.Join(definitionNames(p), ","),
		"--names=" + o.host(v),
	}
}

// host is the name by which the API server calls the server.
func (o Options) host(v values) string { return o.Service + "." + v.namespace + ".svc" }

// ports are the server's, by the names that services and policies use.
func ports() []corev1.ContainerPort {
	return []corev1.ContainerPort{
		{Name: "conversion", ContainerPort: conversionPort},
		{Name: "metrics", ContainerPort: metricsPort},
		{Name: "probes", ContainerPort: probePort},
	}
}

func probe(path string) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("probes")}},
		PeriodSeconds: 5,
	}
}
