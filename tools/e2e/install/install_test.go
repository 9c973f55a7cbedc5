package install

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestPackage applies the whole package to a new cluster, and then again, which changes nothing.
// Its policies take effect. A namespace for restricted pods admits the pods of its operator. The
// operator has the permissions that it needs, and no others.
func TestPackage(t *testing.T) {
	s := newSite(t)
	s.kubectl(t, "", "apply", "--server-side", "-k", s.dir)
	t.Run("kustomize", s.kubectlBuildsTheSame)
	t.Run("applied twice", s.appliedTwice)
	t.Run("pods", s.podsAreLetIn)
	t.Run("rights", s.rightsSuffice)
	t.Run("namespaces", s.rightsAreNarrow)
}

func (s *site) appliedTwice(t *testing.T) {
	before := s.versions(t)
	if strings.Count(before, "\n") < 10 {
		t.Fatalf("the package brought only\n%s", before)
	}
	s.kubectl(t, "", "apply", "--server-side", "-k", s.dir)
	if after := s.versions(t); after != before {
		t.Errorf("applied again, objects are\n%s\nand were\n%s", after, before)
	}
	s.hubIsGuarded(t)
}

// TestOrder installs on clusters that have objects, in the order of the guide. Every object is
// readable after each step, in the versions that are served then.
func TestOrder(t *testing.T) {
	tier.Long(t, "installs in several orders")
	for _, test := range []struct {
		reason  string
		earlier func(t *testing.T, s *site)
	}{
		{"a version that nothing was converted to", func(t *testing.T, s *site) {
			s.kubectl(t, s.only(t, "None", "v20110101"), "apply", "--server-side", "-f", "-")
		}},
		{"an earlier generation of fewer versions", func(t *testing.T, s *site) {
			s.webhook(t)
			s.kubectl(t, s.only(t, "Webhook", "v20110101", "v20190909storage"), "apply", "--server-side", "-f", "-")
			s.ready(t)
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			s := newSite(t)
			test.earlier(t, s)
			s.eventually(t, person, "apply", "--server-side", "-f", "-")
			s.reads(t, "v20110101", "{.spec.properties.lastName}", "Lovelace")

			s.webhook(t)
			s.ready(t)
			s.reads(t, "v20110101", "{.spec.properties.lastName}", "Lovelace")
			s.kubectl(t, "", "apply", "--server-side", "-f", filepath.Join(s.dir, "config", "policies.yaml"))
			s.reads(t, "v20110101", "{.spec.properties.lastName}", "Lovelace")
			s.kubectl(t, "", "apply", "--server-side", "-f", filepath.Join(s.dir, "crds"))
			s.reads(t, "v20190909", "{.spec.properties.legalName}", "Ada Lovelace")
			s.reads(t, "v20110101", "{.spec.properties.lastName}", "Lovelace")
			s.hubIsGuarded(t)
			s.migrates(t)
			s.bagIsPutBack(t)

			bundle := s.bundle(t)
			s.kubectl(t, "", "apply", "--server-side", "-f", filepath.Join(s.dir, "crds"))
			if again := s.bundle(t); bundle == "" || again != bundle {
				t.Errorf("applying definitions again made the caBundle %q of %q", again, bundle)
			}
		})
	}
}

const person = `apiVersion: crm.example.com/v20110101
kind: Person
metadata: {name: ada, namespace: default}
spec:
  properties: {id: 0c5a4a06-3d2b-4c1f-9a57-6f0f3d1f2a11, firstName: Ada, lastName: Lovelace}
  outputs: {configMaps: [{name: ada, key: id, from: id}]}
`

// hubIsGuarded requires that the policy of hub writers takes effect, which takes some time after
// it was applied.
func (s *site) hubIsGuarded(t *testing.T) {
	t.Helper()
	const stored = "apiVersion: crm.example.com/v20190909storage\nkind: Person\nmetadata: {name: forged, namespace: default}\n"
	shared.Eventually(t, crds.Patience, "the hub's version is guarded", func() error {
		_, _, err := s.Kubectl().Run(t.Context(), stored, "create", "--dry-run=server", "-f", "-")
		if err == nil || !strings.Contains(err.Error(), "v20190909storage is what the cluster stores: write persons through an API version") {
			return fmt.Errorf("a write through it: %v", err)
		}
		return nil
	})
	operator := s.as(t, "strata-operator")
	if _, _, err := operator.Run(t.Context(), stored, "create", "--dry-run=server", "-f", "-"); err != nil && strings.Contains(err.Error(), "is what the cluster stores") {
		t.Errorf("the operator may not write what is stored: %v", err)
	}
}

// bagIsPutBack writes a status through an old version by a client that drops the bag. The write
// succeeds, because the policy restores the bag of the live status, and no hidden value is lost.
func (s *site) bagIsPutBack(t *testing.T) {
	t.Helper()
	const folder = `{"spec":{"properties":{"mailingAddress":{"city":"London","latitude":51.5}}}}`
	s.eventually(t, "", "patch", "persons.v20190909.crm.example.com/ada", "--type=merge", "-p", folder)
	const ready = "{type: Ready, status: 'True', reason: Made, message: It is there., lastTransitionTime: '2026-01-02T03:04:05Z'}"
	s.eventually(t, person+"status: {conditions: ["+ready+"]}\n", "replace", "--subresource=status", "-f", "-")
	s.reads(t, "v20110101", "{.status.conditions[0].type}", "Ready")
	s.reads(t, "v20190909", "{.spec.properties.mailingAddress.latitude}", "51.5")
}

// versions are the resourceVersions of all that the package brings, a line each.
func (s *site) versions(t *testing.T) string {
	t.Helper()
	return s.kubectl(t, "", "get", "-k", s.dir, "-o", `jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\n"}{end}`)
}

// reads waits until the person can be read in a version, and requires a value at a path.
func (s *site) reads(t *testing.T, version, path, want string) {
	t.Helper()
	got := s.eventually(t, "", "get", fmt.Sprintf("persons.%s.crm.example.com/ada", version), "-o", "jsonpath="+path)
	if got != want {
		t.Errorf("in %s, %s is %q, want %q", version, path, got, want)
	}
}

func (s *site) bundle(t *testing.T) string {
	t.Helper()
	return s.kubectl(t, "", "get", "crd", "persons.crm.example.com", "-o", "jsonpath={.spec.conversion.webhook.clientConfig.caBundle}")
}
