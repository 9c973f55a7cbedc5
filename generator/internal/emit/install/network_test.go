package install_test

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// connection is one that a pod makes or accepts, with an address that is none of a pod.
type connection struct {
	direction networkingv1.PolicyType
	protocol  corev1.Protocol
	peer      netip.AddrPort // the port is that of the side that accepts
}

// admits reports whether policies let a pod have a connection, as network plugins of Kubernetes
// decide: a direction without a policy for the pod is open, and rules add up.
func admits(t *testing.T, policies []networkingv1.NetworkPolicy, pod map[string]string, c connection) bool {
	t.Helper()
	isIsolated := false
	for _, policy := range policies {
		selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
		if err != nil {
			t.Fatal(err)
		}
		if !selector.Matches(labels.Set(pod)) || !slices.Contains(policy.Spec.PolicyTypes, c.direction) {
			continue
		}
		isIsolated = true
		if c.direction == networkingv1.PolicyTypeEgress {
			for _, rule := range policy.Spec.Egress {
				if onPort(rule.Ports, c) && isPeer(t, rule.To, c) {
					return true
				}
			}
			continue
		}
		for _, rule := range policy.Spec.Ingress {
			if onPort(rule.Ports, c) && isPeer(t, rule.From, c) {
				return true
			}
		}
	}
	return !isIsolated
}

// onPort reports whether ports of a rule include that of a connection. A rule without ports has
// all.
func onPort(ports []networkingv1.NetworkPolicyPort, c connection) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		protocol := corev1.ProtocolTCP
		if p.Protocol != nil {
			protocol = *p.Protocol
		}
		if protocol != c.protocol || p.Port == nil {
			return protocol == c.protocol
		}
		last := p.Port.IntVal
		if p.EndPort != nil {
			last = *p.EndPort
		}
		return p.Port.IntVal <= int32(c.peer.Port()) && int32(c.peer.Port()) <= last
	})
}

// isPeer reports whether peers of a rule include the address of a connection. A rule without peers
// has all, and a selector selects none that is outside of the cluster.
func isPeer(t *testing.T, peers []networkingv1.NetworkPolicyPeer, c connection) bool {
	t.Helper()
	in := func(cidr string) bool {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			t.Fatal(err)
		}
		return prefix.Contains(c.peer.Addr())
	}
	return len(peers) == 0 || slices.ContainsFunc(peers, func(p networkingv1.NetworkPolicyPeer) bool {
		return p.IPBlock != nil && in(p.IPBlock.CIDR) && !slices.ContainsFunc(p.IPBlock.Except, in)
	})
}

// TestWhichConnectionsAreAdmitted asks the network policies of the operator and of the webhook
// about connections that these need, and about others.
func TestWhichConnectionsAreAdmitted(t *testing.T) {
	const in, out, tcp, udp = networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress, corev1.ProtocolTCP, corev1.ProtocolUDP
	const operator, webhook = operatorFile, "config/webhook.yaml"
	for _, test := range []struct {
		reason    string
		file      string
		metadata  string // where the metadata service is; empty for none
		direction networkingv1.PolicyType
		protocol  corev1.Protocol
		peer      string
		want      bool
	}{
		{"DNS", operator, "", out, udp, "10.96.0.10:53", true},
		{"DNS, long answers", operator, "", out, tcp, "10.96.0.10:53", true},
		{"the API server", operator, "", out, tcp, "10.96.0.1:443", true},
		{"the API server of kubeadm", operator, "", out, tcp, "192.168.0.2:6443", true},
		{"Azure", operator, "", out, tcp, "20.37.158.0:443", true},
		{"metrics", operator, "", in, tcp, "10.244.0.9:8080", true},
		{"nobody calls the operator otherwise", operator, "", in, tcp, "10.244.0.9:443", false},
		{"plain HTTP", operator, "", out, tcp, "20.37.158.0:80", false},
		{"a database", operator, "", out, tcp, "10.244.0.9:5432", false},
		{"the kubelet", operator, "", out, tcp, "192.168.0.3:10250", false},
		{"another protocol", operator, "", out, udp, "20.37.158.0:443", false},
		{"the metadata service, without configuration", operator, "", out, tcp, "169.254.169.254:80", false},
		{"the metadata service", operator, "169.254.169.254:80", out, tcp, "169.254.169.254:80", true},
		{"its neighbor", operator, "169.254.169.254:80", out, tcp, "169.254.169.253:80", false},
		{"its port elsewhere", operator, "169.254.169.254:80", out, tcp, "10.244.0.9:80", false},
		{"another port of it", operator, "169.254.169.254:80", out, tcp, "169.254.169.254:8080", false},
		{"the service of Azure Arc", operator, "127.0.0.1:40342", out, tcp, "127.0.0.1:40342", true},
		{"a metadata service of IPv6", operator, "[fd00::1]:8080", out, tcp, "[fd00::1]:8080", true},
		{"its neighbor of IPv6", operator, "[fd00::1]:8080", out, tcp, "[fd00::2]:8080", false},
		{"DNS beside the metadata service", operator, "169.254.169.254:80", out, udp, "10.96.0.10:53", true},
		{"conversions", webhook, "", in, tcp, "192.168.0.2:9443", true},
		{"nobody calls the webhook otherwise", webhook, "", in, tcp, "192.168.0.2:22", false},
		{"the webhook calls the API server", webhook, "", out, tcp, "10.96.0.1:443", true},
		{"the webhook and the metadata service", webhook, "169.254.169.254:80", out, tcp, "169.254.169.254:80", false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			o := options()
			if test.metadata != "" {
				o.Operator.MetadataService = netip.MustParseAddrPort(test.metadata)
			}
			body := packages(t, o)[test.file]
			policies, deployments := all[networkingv1.NetworkPolicy](t, body, "NetworkPolicy"), all[appsv1.Deployment](t, body, "Deployment")
			if len(policies) != 1 || len(deployments) != 1 || deployments[0].Namespace != policies[0].Namespace {
				t.Fatalf("%s has %d policies and %d deployments", test.file, len(policies), len(deployments))
			}
			c := connection{test.direction, test.protocol, netip.MustParseAddrPort(test.peer)}
			if is := admits(t, policies, deployments[0].Spec.Template.Labels, c); is != test.want {
				t.Errorf("%s: admitted %t, want %t", fmt.Sprint(c), is, test.want)
			}
		})
	}
}
