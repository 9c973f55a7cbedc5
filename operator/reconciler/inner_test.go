package reconciler

import (
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/resource"
)

// known is a kind, and the set that it belongs to.
type known struct {
	kind *resource.Kind
	set  *resource.Set
}

// kindsOf returns the kinds of the worked example, by their names.
func kindsOf(t testing.TB) (*k8sruntime.Scheme, map[string]known) {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	for _, add := range []func(*k8sruntime.Scheme) error{api.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	set, err := resource.Read(scheme)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]known{}
	for _, k := range set.All() {
		all[k.Hub.Kind] = known{k, set}
	}
	return scheme, all
}

// passOf returns a pass over a person, with the options of its reconciler.
func passOf(t testing.TB, o Options) *pass {
	t.Helper()
	scheme, kinds := kindsOf(t)
	o.Scheme, o.Kinds = scheme, kinds["Person"].set
	object := annotated(nil)
	object.SetNamespace("default")
	object.SetGeneration(1)
	r := New(kinds["Person"].kind, o)
	return r.newPass(client.ObjectKeyFromObject(object), object, logr.Discard())
}
