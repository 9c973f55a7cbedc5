package crds

import (
	"testing"
	"time"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/testcluster/shared"
)

// Definitions is the resource of CRDs.
var Definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// Patience is how long a condition may take on a machine that does something else as well.
const Patience = time.Minute

// Applying returns the options of an apply that takes fields from other managers.
func Applying(manager string) metav1.ApplyOptions {
	return metav1.ApplyOptions{FieldManager: manager, Force: true}
}

// Apply applies the CRDs of kinds, with the webhook that is given in those that have one. They stay
// after the test.
func Apply(t testing.TB, client dynamic.Interface, webhook v1.WebhookClientConfig, kinds ...*Kind) {
	t.Helper()
	for _, k := range kinds {
		d := k.DeepCopy()
		if d.Spec.Conversion != nil && d.Spec.Conversion.Webhook != nil {
			d.Spec.Conversion.Webhook.ClientConfig = &webhook
		}
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
		if err != nil {
			t.Fatal(err)
		}
		unstructured.RemoveNestedField(object, "status")
		unstructured.RemoveNestedField(object, "metadata", "creationTimestamp")
		shared.Must(t)(client.Resource(Definitions).Apply(shared.Afterwards(t), d.Name, &unstructured.Unstructured{Object: object}, Applying("tests")))
	}
}

// AwaitServed waits until every version of the kinds can be listed: an API server takes a second or
// two after CRDs have changed.
func AwaitServed(t testing.TB, client dynamic.Interface, kinds ...*Kind) {
	t.Helper()
	for _, k := range kinds {
		for _, version := range k.Served() {
			shared.Eventually(t, Patience, k.Name+" in "+version, func() error {
				_, err := client.Resource(k.Resource(version)).Namespace("default").List(shared.Afterwards(t), metav1.ListOptions{})
				return err
			})
		}
	}
}

// Namespace creates a namespace whose name begins with a prefix.
func Namespace(t testing.TB, client dynamic.Interface, prefix string) string {
	t.Helper()
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	made := shared.Must(t)(client.Resource(namespaces).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"generateName": prefix},
	}}, metav1.CreateOptions{}))
	return made.GetName()
}
