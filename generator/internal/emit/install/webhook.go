package install

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/stratakube/strata/generator/internal/plan"
)

func namespace(o Options) *corev1.Namespace {
	n := &corev1.Namespace{TypeMeta: kind("v1", "Namespace"), ObjectMeta: metav1.ObjectMeta{Name: o.Namespace}}
	n.Labels = map[string]string{
		"pod-security.kubernetes.io/enforce": "restricted",
		"pod-security.kubernetes.io/warn":    "restricted",
	}
	return n
}

// webhook returns the server and the objects that it needs to run.
func webhook(p *plan.Plan, o Options, v values) []any {
	out := []any{serviceAccount(o, v)}
	if !o.CertManager {
		out = append(out, rights(p, o, v)...)
	}
	return append(out, service(o, v), webhookDeployment(p, o, v), disruptions(o, v), network(o, v))
}

func kind(apiVersion, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}
}

func named(o Options, v values, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: v.namespace, Labels: labels(o)}
}

func labels(o Options) map[string]string {
	return map[string]string{"app.kubernetes.io/name": o.Service, "app.kubernetes.io/part-of": "strata"}
}

func selector(o Options) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": o.Service}}
}

func serviceAccount(o Options, v values) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{TypeMeta: kind("v1", "ServiceAccount"), ObjectMeta: named(o, v, o.Service)}
}

func service(o Options, v values) *corev1.Service {
	return &corev1.Service{
		TypeMeta: kind("v1", "Service"), ObjectMeta: named(o, v, o.Service),
		Spec: corev1.ServiceSpec{
			Selector: selector(o).MatchLabels,
			Ports: []corev1.ServicePort{
				{Name: "conversion", Port: o.Port, TargetPort: intstr.FromString("conversion")},
				{Name: "metrics", Port: metricsPort, TargetPort: intstr.FromString("metrics")},
			},
		},
	}
}

// replicas is two, because no object can be read without a webhook.
const replicas = 2

func webhookDeployment(p *plan.Plan, o Options, v values) *appsv1.Deployment {
	d := deployment(o, v)
	d.Spec.Template.Spec = pod(o, container(p, o, v))
	spec := &d.Spec.Template.Spec
	spec.AutomountServiceAccountToken = new(!o.CertManager)
	if o.CertManager {
		secret := &corev1.SecretVolumeSource{SecretName: o.certificate()}
		spec.Volumes = []corev1.Volume{{Name: "certs", VolumeSource: corev1.VolumeSource{Secret: secret}}}
		spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "certs", MountPath: certDir, ReadOnly: true}}
	}
	return d
}

// deployment returns a Deployment without a pod.
func deployment(o Options, v values) *appsv1.Deployment {
	d := &appsv1.Deployment{TypeMeta: kind("apps/v1", "Deployment"), ObjectMeta: named(o, v, o.Service)}
	d.Spec = appsv1.DeploymentSpec{
		Replicas: new(int32(replicas)),
		Selector: selector(o),
		Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{
			MaxUnavailable: new(intstr.FromInt32(0)), MaxSurge: new(intstr.FromInt32(1)),
		}},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels(o)}},
	}
	return d
}

// pod returns a pod that complies with the restricted standard of Kubernetes.
func pod(o Options, c corev1.Container) corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName: o.Service,
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   new(true),
			RunAsUser:      new(int64(65532)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		TerminationGracePeriodSeconds: new(int64(gracePeriod)),
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: selector(o),
		}},
		Containers: []corev1.Container{c},
	}
}

func container(p *plan.Plan, o Options, v values) corev1.Container {
	return corev1.Container{
		Name: "webhook", Image: v.image, Args: o.arguments(p, v), Ports: ports(),
		Env:           []corev1.EnvVar{{Name: "GOMEMLIMIT", Value: heapLimit}},
		LivenessProbe: probe(livePath), ReadinessProbe: probe(readyPath),
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memoryLimit)},
		},
		SecurityContext: restricted(),
	}
}

func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		RunAsNonRoot:             new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

// disruptions preserves one replica when nodes are drained.
func disruptions(o Options, v values) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		TypeMeta: kind("policy/v1", "PodDisruptionBudget"), ObjectMeta: named(o, v, o.Service),
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromInt32(1)), Selector: selector(o)},
	}
}

// network admits the API server and collectors of metrics from any address: a policy cannot
// select the API server by a label. Outwards it admits only the connections that self-issued
// certificates require: DNS and the API server.
func network(o Options, v values) *networkingv1.NetworkPolicy {
	n := &networkingv1.NetworkPolicy{
		TypeMeta: kind("networking.k8s.io/v1", "NetworkPolicy"), ObjectMeta: named(o, v, o.Service),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: *selector(o),
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{Ports: onPorts(corev1.ProtocolTCP, conversionPort, metricsPort, probePort)}},
		},
	}
	if !o.CertManager {
		n.Spec.Egress = outwards()
	}
	return n
}

// outwards admits DNS, the API server and HTTPS.
func outwards() []networkingv1.NetworkPolicyEgressRule {
	return []networkingv1.NetworkPolicyEgressRule{
		{Ports: append(onPorts(corev1.ProtocolUDP, 53), onPorts(corev1.ProtocolTCP, 53, 443, 6443)...)},
	}
}

func onPorts(protocol corev1.Protocol, numbers ...int32) []networkingv1.NetworkPolicyPort {
	var out []networkingv1.NetworkPolicyPort
	for _, n := range numbers {
		out = append(out, networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: new(intstr.FromInt32(n))})
	}
	return out
}
