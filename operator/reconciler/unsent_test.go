package reconciler_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/annotation"
)

// TestSecretsOfPassesThatSendNothing covers an API server that refuses the release of an object,
// and repeats a secret of its spec. The pass converts nothing, and still shows the secret
// nowhere.
func TestSecretsOfPassesThatSendNothing(t *testing.T) {
	const value = "Augusta Ada King"
	w := newWorld(t)
	w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &secretive{})
	spec := person()
	spec["originalVersion"] = "v20180809"
	w.object("Person", "ada", spec, annotation.ReconcilePolicy, string(annotation.Detach))
	w.pass("Person", "ada")
	w.delete("Person", "ada")
	w.writes = func(func() error) error {
		return errors.New("spec.properties.legalName: Invalid value: \"" + value + "\"")
	}
	logged, err := w.logged("Person", "ada", 9)
	if err == nil || !strings.Contains(err.Error(), "***") || strings.Contains(err.Error(), value) {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(logged, "***") || strings.Contains(logged, value) {
		t.Errorf("the log is %s", logged)
	}
}
