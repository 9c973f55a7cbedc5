package references

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

const group = "crm.example.com"

var kinds = []struct{ apiVersion, kind, resource string }{
	{"v1", "Secret", "secrets"}, {"v1", "ConfigMap", "configmaps"}, {"discovery.k8s.io/v1", "EndpointSlice", "endpointslices"}, {"v1", "Pod", "pods"},
	{"kustomize.toolkit.fluxcd.io/v1", "Kustomization", "kustomizations"}, {"helm.toolkit.fluxcd.io/v2", "HelmRelease", "helmreleases"},
	{"argoproj.io/v1alpha1", "Application", "applications"}, {"autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"},
	{"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"},
	{"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"},
}

// server serves all kinds, and answers raw requests by path.
type server map[string]string

func (server) ServerPreferredResourcesWithContext(context.Context) (out []*metav1.APIResourceList, err error) {
	for _, k := range kinds {
		out = append(out, &metav1.APIResourceList{GroupVersion: k.apiVersion, APIResources: []metav1.APIResource{{Name: k.resource, Kind: k.kind, Namespaced: true}}})
	}
	return out, nil
}

func (s server) Raw(_ context.Context, path string) (io.ReadCloser, error) {
	text, known := s[path]
	if !known {
		return nil, apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no"))
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// definition returns a CRD. Its first version is the hub; those with a minus are not served.
func definition(t *testing.T, versions ...string) *crd.CRD {
	t.Helper()
	var all []any
	for i, name := range versions {
		name, off := strings.CutPrefix(name, "-")
		all = append(all, map[string]any{"name": name, "served": !off, "storage": i == 0, "deprecated": name == "v1"})
	}
	text, err := json.Marshal(map[string]any{"spec": map[string]any{
		"group": group, "names": map[string]any{"kind": "Note", "plural": "notes"}, "versions": all,
		"conversion": map[string]any{"strategy": "Webhook", "webhook": map[string]any{"clientConfig": map[string]any{"service": map[string]any{"namespace": "s", "name": "w"}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := crd.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return o
}

// release returns what Helm stores in a Secret.
func release(t *testing.T, manifest string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"manifest": manifest})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(text)
	_ = z.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

func secret(t *testing.T, name, release string) *unstructured.Unstructured {
	t.Helper()
	return object(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","type":"helm.sh/release.v1","metadata":{"namespace":"a","name":%q,"labels":{"owner":"helm","status":"deployed"}},"data":{"release":%q}}`,
		name, base64.StdEncoding.EncodeToString([]byte(release))))
}

// find runs Find with a fake cluster, and returns its result as lines.
func find(t *testing.T, s server, from, to *crd.CRD, react func(*dynamicfake.FakeDynamicClient), objects ...*unstructured.Unstructured) (uses, unchecked []string) {
	t.Helper()
	lists := map[schema.GroupVersionResource]string{}
	for _, k := range kinds {
		version, _ := schema.ParseGroupVersion(k.apiVersion)
		lists[version.WithResource(k.resource)] = k.kind + "List"
	}
	var all []runtime.Object
	for _, o := range objects {
		all = append(all, o)
	}
	c := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, all...)
	if react != nil {
		react(c)
	}
	scheme := metadatafake.NewTestScheme()
	_ = metav1.AddMetaToScheme(scheme)
	found, missed, err := Find(t.Context(), Options{Server: s, Objects: c, Metadata: metadatafake.NewSimpleMetadataClient(scheme), Kinds: []Kind{{from, to}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range found {
		line := fmt.Sprint(u.Reason, " ", u.Version, " ", u.Count, " ", u.Example)
		if u.Note {
			line += " (note)"
		}
		uses = append(uses, line)
	}
	for _, u := range missed {
		unchecked = append(unchecked, u.What+": "+u.Reason)
	}
	return uses, unchecked
}

// TestFind has one object of each sort that names a version which goes, and one that names another.
func TestFind(t *testing.T) {
	from, to := definition(t, "v2storage", "v2", "v1"), definition(t, "v2storage", "v3", "v2", "-v1")
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"s","name":"w-1","labels":{"a":"b"}},"status":{"phase":"Running"},"spec":{"containers":[{"ports":[{"name":"probes","containerPort":8081}]}]}}`
	s := server{
		"/metrics": "# HELP x\napiserver_requested_deprecated_apis{group=\"crm.example.com\",removed_release=\"\",resource=\"notes\",subresource=\"\",version=\"v1\"} 1\n" +
			"apiserver_requested_deprecated_apis{group=\"crm.example.com\",removed_release=\"\",resource=\"others\",subresource=\"\",version=\"v1\"} 1\n",
		"/api/v1/namespaces/s/pods/w-1:8081/proxy/versions": `{"format":1,"kinds":[{"group":"crm.example.com","kind":"Note","versions":["v1","v2storage"]}]}`,
	}
	uses, unchecked := find(t, s, from, to, nil,
		secret(t, "old", release(t, "---\napiVersion: crm.example.com/v1\nkind: Note\n---\napiVersion: crm.example.com/v1\nkind: Note\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: crm.example.com/v0, kind: Note}\n")),
		secret(t, "new", release(t, "apiVersion: crm.example.com/v2\nkind: Note\n---\napiVersion: other.crm.example.com/v1\nkind: Note\n")),
		object(t, `{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"namespace":"f","name":"k"},"status":{"inventory":{"entries":[{"id":"a_x_crm.example.com_Note","v":"v1"},{"id":"a_y_crm.example.com_Note","v":"v2"},{"id":"_","v":"v1"},7]}}}`),
		object(t, `{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","metadata":{"namespace":"f","name":"h"},"status":{"inventory":{"entries":[{"id":"a_x_crm.example.com_Note","v":"v1"}]}}}`),
		object(t, `{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"namespace":"argocd","name":"a"},"status":{"resources":[{"group":"crm.example.com","kind":"Note","version":"v1","name":"x"},{"group":"crm.example.com","kind":"Note","version":"v2"}]}}`),
		object(t, `{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"namespace":"argocd","name":"odd"},"status":{"resources":"text"}}`),
		object(t, `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"namespace":"a","name":"h"},"spec":{"scaleTargetRef":{"apiVersion":"crm.example.com/v1","kind":"Note","name":"x"}}}`),
		object(t, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"exact"},"spec":{"matchConstraints":{"matchPolicy":"Exact","resourceRules":[{"apiGroups":["crm.example.com"],"apiVersions":["v1"],"resources":["notes"]}]}}}`),
		object(t, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"ours","labels":{"app.kubernetes.io/part-of":"strata"}},"spec":{"matchConstraints":{"matchPolicy":"Exact","resourceRules":[{"apiGroups":["crm.example.com"],"apiVersions":["v1"],"resources":["*/*"]}]}}}`),
		object(t, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"equivalent"},"webhooks":[{"rules":[{"apiGroups":["crm.example.com"],"apiVersions":["v1","v2"],"resources":["notes"]}]},{"matchPolicy":"Exact","rules":[{"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}]}]}`),
		object(t, `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"s","name":"w-a","labels":{"kubernetes.io/service-name":"w"}},"endpoints":[{"addresses":["10.0.0.1"],"targetRef":{"kind":"Pod","name":"w-1"}}]}`), object(t, pod),
	)
	want := []string{
		"ArgoApplication v1 1 applications argocd/a", "FluxInventory v1 2 kustomizations f/k", "HelmRelease v0 1 secrets a/old", "HelmRelease v1 1 secrets a/old",
		"Policy v1 1 validatingadmissionpolicies exact", "Policy v3 1 validatingadmissionpolicies exact",
		"Replica v2 1 pod s/w-1", "Replica v3 1 pod s/w-1 (note)", "Requested v1 1 the API server that answers (note)", "ScaleTarget v1 1 horizontalpodautoscalers a/h",
	}
	if diff := cmp.Diff(want, uses); diff != "" || len(unchecked) > 0 {
		t.Errorf("not checked: %q; uses (-want +got):\n%s", unchecked, diff)
	}
}

// TestRulesThatMatchNothing has a webhook with matchPolicy Equivalent whose versions all go.
func TestRulesThatMatchNothing(t *testing.T) {
	uses, _ := find(t, server{}, definition(t, "v2", "v1"), definition(t, "v2"), nil, object(t,
		`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"w"},"webhooks":[{"rules":[{"apiGroups":["crm.example.com"],"apiVersions":["v1"],"resources":["notes/status"]}]}]}`))
	if diff := cmp.Diff([]string{"Policy v1 1 validatingwebhookconfigurations w"}, uses); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNotChecked has a user without rights. Each sort is named with the right that is missing.
func TestNotChecked(t *testing.T) {
	uses, unchecked := find(t, server{}, definition(t, "v2storage", "v2", "v1"), definition(t, "v2storage", "v2"), func(c *dynamicfake.FakeDynamicClient) {
		c.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(a.GetResource().GroupResource(), "", nil)
		})
	})
	want := []string{
		"Helm releases in ConfigMaps: the user lacks the right to list configmaps",
		"Helm releases in Secrets: the user lacks the right to list secrets",
		"applications of Argo CD: the user lacks the right to list applications.argoproj.io",
		"clients of deprecated versions: the user lacks the right to get /metrics",
		"horizontalpodautoscalers.autoscaling: the user lacks the right to list horizontalpodautoscalers.autoscaling",
		"inventories of helmreleases.helm.toolkit.fluxcd.io: the user lacks the right to list helmreleases.helm.toolkit.fluxcd.io",
		"inventories of kustomizations.kustomize.toolkit.fluxcd.io: the user lacks the right to list kustomizations.kustomize.toolkit.fluxcd.io",
		"replicas of the webhook of notes.crm.example.com: the user lacks the right to list endpointslices.discovery.k8s.io",
		"validatingadmissionpolicies: the user lacks the right to list validatingadmissionpolicies.admissionregistration.k8s.io",
		"validatingwebhookconfigurations: the user lacks the right to list validatingwebhookconfigurations.admissionregistration.k8s.io",
	}
	if diff := cmp.Diff(want, unchecked); diff != "" || len(uses) > 0 {
		t.Errorf("uses %q; not checked (-want +got):\n%s", uses, diff)
	}
}

// TestHostileReleases has releases that are none, or much longer than a Secret can be. None ends
// the search, and each is named.
func TestHostileReleases(t *testing.T) {
	for name, text := range map[string]string{
		"no base64": "%", "no JSON": base64.StdEncoding.EncodeToString([]byte("{")), "no gzip": base64.StdEncoding.EncodeToString([]byte{0x1f, 0x8b, 1}),
		"a bomb": release(t, strings.Repeat(" ", 2*maxRelease)), "no YAML": release(t, "crm.example.com/v1: ["),
		"a long manifest": release(t, "crm.example.com/"+strings.Repeat("x", maxManifest)),
		"many aliases": release(t, "# crm.example.com/\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"+
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n"),
	} {
		t.Run(name, func(t *testing.T) {
			uses, unchecked := find(t, server{"/metrics": ""}, definition(t, "v2", "v1"), definition(t, "v2"), nil, secret(t, "bad", text))
			if len(uses) != 0 || len(unchecked) != 1 || !strings.Contains(unchecked[0], "secrets a/bad") || len(unchecked[0]) > 400 {
				t.Errorf("uses %q, not checked %.500q", uses, unchecked)
			}
		})
	}
}
