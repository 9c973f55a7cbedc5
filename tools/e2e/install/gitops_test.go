package install

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestNothingDiffers applies the whole package as Flux does, and lets the webhook write its
// certificates. Then it compares as Flux, Argo CD and kubectl do: nothing may differ. The values
// that the webhook has written belong to the webhook.
func TestNothingDiffers(t *testing.T) {
	tier.Long(t, "installs packages as GitOps tools do")
	s := newSite(t)
	flux := []string{"--server-side", "--force-conflicts", "--field-manager=kustomize-controller", "-k", s.dir}
	s.kubectl(t, "", append([]string{"apply"}, flux...)...)
	s.certificates(t)
	before, bundle := s.versions(t), s.bundle(t)
	for reason, args := range map[string][]string{
		"compared server-side":                                append([]string{"diff"}, flux...),
		"compared in three ways":                              {"diff", "-k", s.dir},
		"compared server-side by a manager that owns nothing": {"diff", "--server-side", "--field-manager=another", "-k", s.dir},
	} {
		if out, _, err := s.Kubectl().Run(t.Context(), "", args...); err != nil {
			t.Errorf("%s: %v\n%s", reason, err, out)
		}
	}
	s.definitionsInSync(t)
	s.kubectl(t, "", append([]string{"apply"}, flux...)...)
	if after := s.versions(t); after != before {
		t.Errorf("applied again, objects are\n%s\nand were\n%s", after, before)
	}
	if again := s.bundle(t); again != bundle {
		t.Errorf("applied again, the caBundle is %q of %q", again, bundle)
	}
	owners := s.kubectl(t, "", "get", "crd", "persons.crm.example.com", "--show-managed-fields", "-o",
		`jsonpath={range .metadata.managedFields[?(@.fieldsV1.f:spec.f:conversion.f:webhook.f:clientConfig.f:caBundle)]}{.manager} {end}`)
	if owners != "strata-webhook " {
		t.Errorf("the caBundle is owned by %q", owners)
	}
}

// certificates starts the webhook as its pod would be started, and waits until its CA is in
// every CRD. Nothing calls it.
func (s *site) certificates(t *testing.T) {
	t.Helper()
	file, err := env.BuildWebhook(t.Context(), s.group.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.process, err = env.StartWebhook(t.Context(), s.group, file, s.flags(t)...); err != nil {
		t.Fatal(err)
	}
	shared.Eventually(t, crds.Patience, "the CA is in all CRDs", func() error {
		out := s.kubectl(t, "", "get", "crd", "-o", `jsonpath={range .items[*]}{.spec.conversion.webhook.clientConfig.caBundle}{"\n"}{end}`)
		if n := len(strings.Fields(out)); n != 3 {
			return fmt.Errorf("it is in %d", n)
		}
		return nil
	})
}

// definitionsInSync compares CRDs as Argo CD does, which knows no types of them: the declared
// object, the one that was declared before, and the live object, with lists as a whole.
func (s *site) definitionsInSync(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "crds", "*.yaml"))
	if err != nil || len(files) != 3 {
		t.Fatalf("the definitions are %q (%v)", files, err)
	}
	for _, file := range files {
		declared, err := os.ReadFile(file)
		if err == nil {
			declared, err = yaml.YAMLToJSON(declared)
		}
		if err != nil {
			t.Fatal(err)
		}
		live := s.kubectl(t, "", "get", "crd", strings.TrimSuffix(filepath.Base(file), ".yaml"), "-o", "json")
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(declared, declared, []byte(live))
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]any
		if err := json.Unmarshal(patch, &members); err != nil {
			t.Fatal(err)
		}
		if len(members) > 0 {
			t.Errorf("%s is out of sync: %s", filepath.Base(file), patch[:min(len(patch), 2000)])
		}
	}
}
