package install

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// TestSelection pipes the output of `strata install` for one kind into kubectl, as the guide
// does. The cluster must have that kind, and no subject may have rights on others.
func TestSelection(t *testing.T) {
	tier.Long(t, "installs selections of kinds")
	s := newSite(t)
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	manifests, err := command.In{Dir: w.Root}.Output(t.Context(), "go", "run", "./generator/cmd/strata", "install", "--config", "schemas/crm/strata.yaml", "--select", "crm/Party")
	if err != nil {
		t.Fatal(err)
	}
	s.kubectl(t, manifests, "apply", "--server-side", "-f", "-")
	if got := s.kubectl(t, "", "get", "crd", "-o", "name"); strings.TrimSpace(got) != "customresourcedefinition.apiextensions.k8s.io/parties.crm.example.com" {
		t.Errorf("the definitions are %s", got)
	}
	operator := s.as(t, "strata-operator")
	canI(t, operator, "watch parties.crm.example.com --all-namespaces", true)
	canI(t, operator, "watch persons.crm.example.com --all-namespaces", false)
	webhook := s.as(t, "strata-webhook")
	canI(t, webhook, "patch customresourcedefinitions.apiextensions.k8s.io/parties.crm.example.com", true)
	canI(t, webhook, "patch customresourcedefinitions.apiextensions.k8s.io/persons.crm.example.com", false)
	s.kubectl(t, manifests, "diff", "--server-side", "-f", "-")
}
