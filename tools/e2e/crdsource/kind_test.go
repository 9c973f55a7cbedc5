package crdsource_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/e2e/integers"
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
	*v1.CustomResourceDefinition
	versions []string // API versions that are served, the first one first
	hub      string
	all      map[string]any // everything that some version can say
}

func (s sample) read(t testing.TB, output string) *kind {
	t.Helper()
	k := &kind{sample: s, CustomResourceDefinition: new(v1.CustomResourceDefinition)}
	read(t, filepath.Join(output, "crds", s.definition+".yaml"), k.CustomResourceDefinition)
	read(t, filepath.Join("testdata", "objects", k.Spec.Names.Plural+".yaml"), &k.all)
	integers.Restore(k.all)
	for _, v := range k.Spec.Versions {
		switch {
		case v.Storage:
			k.hub = v.Name
		case v.Served:
			k.versions = append(k.versions, v.Name)
		}
	}
	if len(k.versions) == 0 || k.hub == "" {
		t.Fatalf("%s serves %v, and stores %q", k.Name, k.versions, k.hub)
	}
	return k
}

func read(t testing.TB, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func (k *kind) resource(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: k.Spec.Group, Version: version, Resource: k.Spec.Names.Plural}
}

func (k *kind) served() []string { return append(slices.Clone(k.versions), k.hub) }

// stands is where a member of API versions stands in the hub, whose spec holds what is at the root.
func (k *kind) stands(path []string) []string {
	for _, v := range k.versions {
		for name := range k.version(v).Schema.OpenAPIV3Schema.Properties {
			if !slices.Contains([]string{"apiVersion", "kind", "metadata", "spec", "status"}, name) {
				return append([]string{"spec"}, path...)
			}
		}
	}
	return path
}

func (k *kind) version(name string) v1.CustomResourceDefinitionVersion {
	i := slices.IndexFunc(k.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	return k.Spec.Versions[i]
}

// hasStatus tells whether the version has a status subresource.
func (k *kind) hasStatus(version string) bool {
	sub := k.version(version).Subresources
	return sub != nil && sub.Status != nil
}

// of makes an object that says all that the version can say.
func (k *kind) of(version, name string) *unstructured.Unstructured {
	object := cut(runtime.DeepCopyJSON(k.all), *k.version(version).Schema.OpenAPIV3Schema).(map[string]any)
	object["apiVersion"] = k.Spec.Group + "/" + version
	object["kind"] = k.Spec.Names.Kind
	object["metadata"] = map[string]any{"name": name}
	return &unstructured.Unstructured{Object: object}
}

// cut takes away what the schema does not have, and values that are of another type there.
func cut(value any, s v1.JSONSchemaProps) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			property, has := s.Properties[name]
			switch {
			case !has && s.AdditionalProperties != nil:
				v[name] = cut(member, *s.AdditionalProperties.Schema)
			case !has && !preserves(s), has && !fits(member, property):
				delete(v, name)
			case has:
				v[name] = cut(member, property)
			}
		}
	case []any:
		if s.Items != nil {
			for i, element := range v {
				v[i] = cut(element, *s.Items.Schema)
			}
		}
	}
	return value
}

func preserves(s v1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// fits tells whether a value is of the schema's type.
func fits(value any, s v1.JSONSchemaProps) bool {
	switch value.(type) {
	case map[string]any:
		return s.Type == "object" || s.Type == ""
	case []any:
		return s.Type == "array" || s.Type == ""
	case string:
		return s.Type == "string" || s.Type == ""
	case bool:
		return s.Type == "boolean" || s.Type == ""
	}
	return s.Type == "integer" || s.Type == "number" || s.Type == ""
}
