package install

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The ports of the webhook's server.
const (
	conversionPort = 8443
	metricsPort    = 8080
	healthPort     = 8081
)

// The paths of its probes: alive as soon as it runs, ready when it can convert.
const (
	livePath  = "/healthz"
	readyPath = "/readyz"
)

// certDir is where certificates that others make are mounted.
const certDir = "/certs"

// arguments start the server. It makes its certificates, keeps them in a secret and
// puts their authority into the definitions; or it reads them from a folder.
func (o Options) arguments(v values) []string {
	out := []string{"--address=:8443", "--metrics-address=:8080", "--health-address=:8081"}
	if o.CertManager {
		return append(out, "--cert-dir="+certDir)
	}
	return append(out, "--certificates=self", "--secret="+o.certificate(), "--service="+o.Service, "--namespace="+v.namespace)
}

// ports are the server's, by the names that services and policies use.
func ports() []corev1.ContainerPort {
	return []corev1.ContainerPort{
		{Name: "conversion", ContainerPort: conversionPort},
		{Name: "metrics", ContainerPort: metricsPort},
		{Name: "health", ContainerPort: healthPort},
	}
}

func probe(path string) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("health")}},
		PeriodSeconds: 5,
	}
}
