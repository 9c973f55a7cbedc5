package crdsource_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestDeprecatedFieldsWarn applies the generated policies of deprecated fields. kubectl must print
// a warning for objects that have the field in the version that deprecates it, and for no others.
func TestDeprecatedFieldsWarn(t *testing.T) {
	tier.Long(t, "waits for policies of many fields")
	p := named(t, "widgets.go.example.com")
	text, err := os.ReadFile(filepath.Join(open(t).output, "config", "policies.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var policies []string
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		if strings.Contains(document, "-deprecated-") {
			policies = append(policies, document)
		}
	}
	if len(policies) != 2 {
		t.Fatalf("there are %d policies and bindings: %s", len(policies), text)
	}
	kubectl, manifests := shared.Of(t).Kubectl(), strings.Join(policies, "\n---\n")
	if _, _, err := kubectl.Run(t.Context(), manifests, "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, _, err := kubectl.Run(shared.Afterwards(t), manifests, "delete", "-f", "-"); err != nil {
			t.Error(err)
		}
	})
	apply := func(version, spec string) (warnings string) {
		t.Helper()
		manifest := fmt.Sprintf("{apiVersion: go.example.com/%s, kind: Widget, metadata: {name: old, namespace: %s}, spec: %s}", version, p.Namespace, spec)
		_, warnings, err := kubectl.Run(t.Context(), manifest, "apply", "-f", "-", "--dry-run=server")
		if err != nil {
			t.Error(err)
		}
		return warnings
	}
	shared.Eventually(t, crds.Patience, "the policy warns", func() error {
		if got := apply("v1", "{label: a}"); !strings.Contains(got, "Warning: Validation failed for ValidatingAdmissionPolicy") || !strings.Contains(got, "spec.label is deprecated: use title") {
			return fmt.Errorf("kubectl prints %q", got)
		}
		return nil
	})
	for version, spec := range map[string]string{"v1": "{title: a}", "v1beta1": "{label: a}"} {
		if got := apply(version, spec); strings.Contains(got, "spec.label is deprecated") {
			t.Errorf("kubectl warns of %s in %s: %s", spec, version, got)
		}
	}
}
