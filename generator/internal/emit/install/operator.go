package install

import (
	"net/netip"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Operator configures the operator, which calls the external API.
type Operator struct {
	Image string
	// Namespaces are the namespaces whose objects the operator manages; nil for all. Its rights,
	// also on Secrets, are limited to them.
	Namespaces []string
	// MetadataService is the address at which the node issues tokens of managed identities; the
	// zero value if the operator does not call it.
	MetadataService netip.AddrPort
	// RequireCredentials sets whether objects wait for a Secret with credentials; nil for the
	// operator's default.
	RequireCredentials *bool
	// NoConfigMaps gives the operator no rights on ConfigMaps.
	NoConfigMaps bool
	// ShardNamespaces makes all replicas reconcile, each a part of the namespaces. The operator may
	// then watch namespaces, and list and delete the leases of its replicas.
	ShardNamespaces bool
}

// Paths in the operator's image and pod.
const (
	pluginDir    = "/plugins"
	providerDir  = "/etc/strata"
	providerFile = "providers.yaml"
	// scratchDir is the folder of the plugins' sockets.
	scratchDir = "/tmp"
)

// operatorLivePath is the path of the operator's liveness probe.
const operatorLivePath = "/healthz"

// operatorGrace is the number of seconds that the operator has to terminate. A provider call
// takes up to 60 seconds, and storing its result up to 20.
const operatorGrace = 90

// operated returns the manifests of the operator. They are named and labelled as the webhook's
// are, with the operator's name as the service.
func operated(p *plan.Plan, o Options, v values) ([]any, error) {
	o.Service = operator
	providers, err := providers(o, v)
	if err != nil {
		return nil, err
	}
	out := append([]any{serviceAccount(o, v), providers}, duties(p, o, v)...)
	return append(out, operatorDeployment(p, o, v), disruptions(o, v), operatorNetwork(o, v)), nil
}

// providers returns the ConfigMap that assigns types to plugins.
func providers(o Options, v values) (*corev1.ConfigMap, error) {
	list := v.providers
	if list == "" {
		text, err := kubeyaml.Marshal(defaultProviders())
		if err != nil {
			return nil, err
		}
		list = "\n" + string(text)
	}
	return &corev1.ConfigMap{
		TypeMeta: kind("v1", "ConfigMap"), ObjectMeta: named(o, v, o.Service+"-providers"),
		Data: map[string]string{providerFile: "# The first provider wins of whose types one matches." + list},
	}, nil
}

func defaultProviders() object {
	return object{
		"apiVersion": "strata.dev/v1alpha1", "kind": "Providers",
		"providers": []object{{"name": "strata.dev/arm", "types": []string{"Microsoft.*"}}},
	}
}

// operatorArguments returns the arguments of the operator, which manages only the kinds of the
// plan.
func (o Options) operatorArguments(p *plan.Plan, v values) []string {
	out := []string{
		"--plugins=" + pluginDir,
		"--providers=" + providerDir + "/" + providerFile,
		"--leader-elect",
		"--leader-election-namespace=" + v.namespace,
	}
	if v.selectable {
		out = append(out, selectorsPlaceholder)
	} else {
		for _, selector := range selectors(p) {
			out = append(out, "--kinds="+selector)
		}
	}
	for _, namespace := range o.Operator.Namespaces {
		out = append(out, "--namespaces="+namespace)
	}
	if required := o.Operator.RequireCredentials; required != nil {
		out = append(out, "--require-credentials="+strconv.FormatBool(*required))
	}
	if o.Operator.ShardNamespaces {
		out = append(out, "--shard-namespaces")
	}
	return out
}

// operatorDeployment returns a Deployment of two replicas, one of which leads. The other takes
// over within seconds. With shards, both reconcile, and either takes over the shards of the other.
func operatorDeployment(p *plan.Plan, o Options, v values) *appsv1.Deployment {
	d := deployment(o, v)
	d.Spec.Template.Spec = pod(o, corev1.Container{
		Name: "operator", Image: v.operatorImage, Args: o.operatorArguments(p, v),
		Ports: []corev1.ContainerPort{
			{Name: "metrics", ContainerPort: metricsPort},
			{Name: "probes", ContainerPort: probePort},
		},
		LivenessProbe: probe(operatorLivePath), ReadinessProbe: probe(readyPath),
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi")},
		},
		SecurityContext: restricted(),
		VolumeMounts: []corev1.VolumeMount{
			{Name: "providers", MountPath: providerDir, ReadOnly: true},
			{Name: "scratch", MountPath: scratchDir},
		},
	})
	spec := &d.Spec.Template.Spec
	spec.AutomountServiceAccountToken = new(true)
	spec.TerminationGracePeriodSeconds = new(int64(operatorGrace))
	list := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: o.Service + "-providers"}}
	spec.Volumes = []corev1.Volume{
		{Name: "providers", VolumeSource: corev1.VolumeSource{ConfigMap: list}},
		{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("64Mi"))}}},
	}
	return d
}

// operatorNetwork admits collectors of metrics; probes come from the node, which policies never
// block. Outwards it admits DNS, the API server and HTTPS.
func operatorNetwork(o Options, v values) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		TypeMeta: kind("networking.k8s.io/v1", "NetworkPolicy"), ObjectMeta: named(o, v, o.Service),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: *selector(o),
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{Ports: onPorts(corev1.ProtocolTCP, metricsPort)}},
			Egress:      append(outwards(), toMetadata(o.Operator.MetadataService)...),
		},
	}
}

// toMetadata admits requests to the node's metadata service, which issues tokens of managed
// identities.
func toMetadata(at netip.AddrPort) []networkingv1.NetworkPolicyEgressRule {
	if !at.IsValid() {
		return nil
	}
	block := &networkingv1.IPBlock{CIDR: netip.PrefixFrom(at.Addr(), at.Addr().BitLen()).String()}
	return []networkingv1.NetworkPolicyEgressRule{
		{To: []networkingv1.NetworkPolicyPeer{{IPBlock: block}}, Ports: onPorts(corev1.ProtocolTCP, int32(at.Port()))},
	}
}
