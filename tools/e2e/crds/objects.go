package crds

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/testcluster/shared"
)

// Objects gives one client access to the objects of one kind in a namespace. Its methods fail the
// test if the API server refuses a call.
type Objects struct {
	T         testing.TB
	Client    dynamic.Interface
	Kind      *Kind
	Namespace string
}

// Through returns the client of a version.
func (o Objects) Through(version string) dynamic.ResourceInterface {
	return o.Client.Resource(o.Kind.Resource(version)).Namespace(o.Namespace)
}

// Get reads an object through a version.
func (o Objects) Get(version, name string) *unstructured.Unstructured {
	o.T.Helper()
	return shared.Must(o.T)(o.Through(version).Get(o.T.Context(), name, metav1.GetOptions{}))
}

// Stored reads an object through the hub's version, in which it is stored.
func (o Objects) Stored(name string) *unstructured.Unstructured {
	o.T.Helper()
	return o.Get(o.Kind.Hub, name)
}

// Update writes an object, or its subresource, through a version.
func (o Objects) Update(version string, object *unstructured.Unstructured, subresource ...string) *unstructured.Unstructured {
	o.T.Helper()
	return shared.Must(o.T)(o.Through(version).Update(o.T.Context(), object, metav1.UpdateOptions{}, subresource...))
}

// Create creates an object through a version. Then it writes the status, unless that is nil,
// together with the property bag that the webhook has added.
func (o Objects) Create(version string, object *unstructured.Unstructured, status map[string]any) *unstructured.Unstructured {
	o.T.Helper()
	made := shared.Must(o.T)(o.Through(version).Create(o.T.Context(), object, metav1.CreateOptions{}))
	if status == nil {
		return made
	}
	if bag, has, _ := unstructured.NestedString(made.Object, "status", "propertyBag"); has {
		status["propertyBag"] = bag
	}
	made.Object["status"] = status
	return o.Update(version, made, "status")
}
