package crdsource_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/e2e/crds"
)

// objects gives access to the objects of one kind in a namespace.
type objects struct {
	crds.Objects
	*testing.T
	*kind
}

// in returns access to the objects of a kind, in a namespace of the test's own.
func (s *site) in(t *testing.T, k *kind) objects {
	t.Helper()
	namespace := crds.Namespace(t, s.client, "crdsource-")
	return objects{crds.Objects{T: t, Client: s.client, Kind: k.Kind, Namespace: namespace}, t, k}
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

// write creates an object with all members that the version has, those of its status included.
func (p objects) write(version, name string) *unstructured.Unstructured {
	p.Helper()
	all := p.of(version, name)
	status, has := all.Object["status"].(map[string]any)
	if !has || !p.hasStatus(version) {
		status = nil
	}
	return p.Create(version, all, status)
}

// nested is an object with a value at a path.
func nested(value any, path ...string) map[string]any {
	out := map[string]any{}
	if err := unstructured.SetNestedField(out, value, path...); err != nil {
		panic(fmt.Sprintf("%v: %v", path, err))
	}
	return out
}
