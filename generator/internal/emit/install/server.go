package install

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/stratakube/strata/generator/internal/plan"
)

// The constants are the defaults and flags of package webhook/server, which this module cannot
// import. Tests of that package compare a generated Deployment with them.

// The ports on which the server listens.
const (
	conversionPort = 9443
	metricsPort    = 8080
	probePort      = 8081
)

// The paths of its probes: it is alive as soon as it runs, and ready when it can convert.
const (
	livePath  = "/livez"
	readyPath = "/readyz"
)

// gracePeriod is the number of seconds that the server has to terminate. It serves for 10 more
// seconds, completes requests for up to 30, and sends its last spans for up to 5.
const gracePeriod = 60

// memoryLimit is the server's memory limit. At heapLimit, nine tenths of it, Go collects garbage
// more often. The server's own limits are far below.
const (
	memoryLimit = "1Gi"
	heapLimit   = "921MiB"
)

// certDir is the folder at which certificates of other issuers are mounted.
const certDir = "/certs"

// arguments returns the arguments of the server. The server issues its certificates, stores them in
// a Secret and writes their CA into the CRDs; or it reads them from files.
func (o Options) arguments(p *plan.Plan, v values) []string {
	if o.CertManager {
		return []string{"--cert-file=" + certDir + "/" + corev1.TLSCertKey, "--key-file=" + certDir + "/" + corev1.TLSPrivateKeyKey}
	}
	crds := strings.Join(definitionNames(p), ",")
	if v.selectable {
		crds = crdsPlaceholder
	}
	return []string{
		"--secret=" + v.namespace + "/" + o.certificate(),
		"--crds=" + crds,
		"--names=" + o.host(v),
	}
}

// host returns the name by which the API server calls the server.
func (o Options) host(v values) string { return o.Service + "." + v.namespace + ".svc" }

// ports returns the server's ports, by the names that services and policies use.
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
