package crdsource_test

import (
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/tools/e2e/crds"
)

// sample is a kind that is tried: which one, and why.
type sample struct {
	definition string
	file       string // below the vendors' definitions; empty for those that lie here
	reason     string
	text       []string // the path of a text that all versions have
	status     []string // the same of the status; none where it has no subresource
	defaults   bool     // versions have defaults: writing back what was read may add them
}

const bases = "cluster-api-v1.4.0/config/crd/bases/"

var samples = []sample{
	{definition: "gadgets.shop.example.com", reason: "members at the root, defaults, values of other kinds in other versions",
		text: []string{"spec", "title"}, status: []string{"status", "phase"}, defaults: true},
	{definition: "boxes.shop.example.com", reason: "no status subresource, and members at the root alone", text: []string{"title"}},
	{definition: "widgets.go.example.com", reason: "an annotated Go package, with functions", text: nil, status: []string{"status", "phase"}, defaults: true},
	{definition: "machines.cluster.x-k8s.io", file: bases + "cluster.x-k8s.io_machines.yaml", reason: "members that come and go",
		text: []string{"spec", "providerID"}, status: []string{"status", "phase"}},
	{definition: "clusters.cluster.x-k8s.io", file: bases + "cluster.x-k8s.io_clusters.yaml", reason: "a large part that is in late versions only",
		text: []string{"spec", "controlPlaneEndpoint", "host"}, status: []string{"status", "phase"}},
	{definition: "kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io", reason: "no status subresource, and what is hidden lies in lists",
		file: "cluster-api-v1.4.0/bootstrap/kubeadm/config/crd/bases/bootstrap.cluster.x-k8s.io_kubeadmconfigtemplates.yaml",
		text: []string{"spec", "template", "spec", "clusterConfiguration", "clusterName"}},
	{definition: "httproutes.gateway.networking.k8s.io", file: "gateway-api-v0.8.1/config/crd/experimental/gateway.networking.k8s.io_httproutes.yaml",
		reason: "many rules of CEL, defaults, lists that merge by key; a status with required members", defaults: true},
	{definition: "referencegrants.gateway.networking.k8s.io", file: "gateway-api-v0.8.1/config/crd/experimental/gateway.networking.k8s.io_referencegrants.yaml",
		reason: "no status at all"},
	{definition: "services.serving.knative.dev", file: "knative-serving-v0.51.0/config/core/300-resources/service.yaml",
		reason: "one version, with members that the schema does not know", status: []string{"status", "latestReadyRevisionName"}, defaults: true},
	{definition: "providers.clusterctl.cluster.x-k8s.io", file: "cluster-api-v1.4.0/cmd/clusterctl/config/manifest/clusterctl-api.yaml",
		reason: "nothing but members at the root", text: []string{"version"}},
}

// kind is a sample that is served.
type kind struct {
	sample
	*crds.Kind
	all map[string]any // everything that some version can say
}

func (s sample) read(t testing.TB, output string) *kind {
	t.Helper()
	k := &kind{sample: s, Kind: crds.Read(t, filepath.Join(output, "crds", s.definition+".yaml"))}
	k.all = crds.ReadObject(t, filepath.Join("testdata", "objects", k.Spec.Names.Plural+".yaml"))
	return k
}

// stands returns the path of a member of API versions in the hub, whose spec contains the members
// at the root.
func (k *kind) stands(path []string) []string {
	for _, v := range k.Versions {
		for name := range k.Schema(v).Properties {
			if !slices.Contains([]string{"apiVersion", "kind", "metadata", "spec", "status"}, name) {
				return append([]string{"spec"}, path...)
			}
		}
	}
	return path
}

// hasStatus reports whether the version has a status subresource.
func (k *kind) hasStatus(version string) bool {
	sub := k.Version(version).Subresources
	return sub != nil && sub.Status != nil
}

// of returns an object with all members that the version has.
func (k *kind) of(version, name string) *unstructured.Unstructured {
	object := crds.Cut(runtime.DeepCopyJSON(k.all), k.Schema(version)).(map[string]any)
	object["apiVersion"] = k.Spec.Group + "/" + version
	object["kind"] = k.Spec.Names.Kind
	object["metadata"] = map[string]any{"name": name}
	return &unstructured.Unstructured{Object: object}
}
