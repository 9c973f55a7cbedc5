package crdsource_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// objects gives access to the objects of one kind in a namespace.
type objects struct {
	*testing.T
	*kind
	client    dynamic.Interface
	namespace string
}

// in is a kind, in a namespace of the test's own.
func (s *site) in(t *testing.T, k *kind) objects {
	t.Helper()
	return objects{t, k, s.client, crds.Namespace(t, s.client, "crdsource-")}
}

// eachKind runs a test for every kind.
func eachKind(t *testing.T, test func(objects)) {
	s := open(t)
	for _, sample := range samples {
		t.Run(sample.definition, func(t *testing.T) {
			k := s.kinds[sample.definition]
			if k == nil {
				t.Skipf("needs corpora: %v", s.missing)
			}
			t.Parallel()
			test(s.in(t, k))
		})
	}
}

func (p objects) through(version string) dynamic.ResourceInterface {
	return p.client.Resource(p.Resource(version)).Namespace(p.namespace)
}

func (p objects) get(version, name string) *unstructured.Unstructured {
	p.Helper()
	return shared.Must(p)(p.through(version).Get(p.Context(), name, metav1.GetOptions{}))
}

// stored is what is stored, as the server shows it.
func (p objects) stored(name string) *unstructured.Unstructured {
	p.Helper()
	return p.get(p.Hub, name)
}

func (p objects) update(version string, object *unstructured.Unstructured, sub ...string) *unstructured.Unstructured {
	p.Helper()
	return shared.Must(p)(p.through(version).Update(p.Context(), object, metav1.UpdateOptions{}, sub...))
}

// write creates an object, with all that the version can say, in its status too.
func (p objects) write(version, name string) *unstructured.Unstructured {
	p.Helper()
	all := p.of(version, name)
	made := shared.Must(p)(p.through(version).Create(p.Context(), all, metav1.CreateOptions{}))
	status, has := all.Object["status"].(map[string]any)
	if !has || !p.hasStatus(version) {
		return made
	}
	if bag, has, _ := unstructured.NestedString(made.Object, "status", "propertyBag"); has {
		status["propertyBag"] = bag
	}
	made.Object["status"] = status
	return p.update(version, made, "status")
}

// nested is an object with a value at a path.
func nested(value any, path ...string) map[string]any {
	out := map[string]any{}
	if err := unstructured.SetNestedField(out, value, path...); err != nil {
		panic(fmt.Sprintf("%v: %v", path, err))
	}
	return out
}
