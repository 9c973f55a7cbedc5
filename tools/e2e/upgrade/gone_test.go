package upgrade_test

import (
	"errors"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestOwnersOfVersionThatHasGone removes a version that owners still name. The migration without
// flags mends the owners, so that server-side apply works again.
func TestOwnersOfVersionThatHasGone(t *testing.T) {
	tier.Long(t, "upgrades owners of objects")
	s := open(t, "gone.example.com")
	options := metav1.ApplyOptions{FieldManager: "flux"}
	spec := map[string]any{"size": int64(1), "color": "red"}
	shared.Must(t)(s.through("v1").Apply(t.Context(), "a", s.widget("v1", "a", spec), options))
	s.store("v2")
	if r, code, messages := s.migrate(); code != 0 || r.Entries != 0 {
		t.Fatalf("exit code %d, %+v\n%s", code, r, messages)
	}
	d := shared.Must(t)(s.client.Resource(crds.Definitions).Get(t.Context(), s.kind.Name, metav1.GetOptions{}))
	_ = unstructured.SetNestedStringSlice(d.Object, []string{"v2"}, "status", "storedVersions")
	shared.Must(t)(s.client.Resource(crds.Definitions).UpdateStatus(t.Context(), d, metav1.UpdateOptions{}))
	s.kind.Spec.Versions = s.kind.Spec.Versions[1:]
	crds.Apply(t, s.client, v1.WebhookClientConfig{}, s.kind)
	shared.Eventually(t, crds.Patience, "an apply that fails", func() error {
		trial := metav1.ApplyOptions{FieldManager: "flux", DryRun: []string{metav1.DryRunAll}}
		if _, err := s.through("v2").Apply(t.Context(), "a", s.widget("v2", "a", spec), trial); err == nil {
			return errors.New("the API server still converts to v1")
		}
		return nil
	})
	r, code, messages := s.migrate()
	if code != 0 || r.Entries != 1 {
		t.Fatalf("exit code %d, %+v\n%s", code, r, messages)
	}
	shared.Must(t)(s.through("v2").Apply(t.Context(), "a", s.widget("v2", "a", map[string]any{"size": int64(1)}), options))
	if _, has, _ := unstructured.NestedString(s.all()["a"].Object, "spec", "color"); has {
		t.Error("the manifest without color has not removed it")
	}
}
