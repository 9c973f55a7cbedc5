package install

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/env"
)

// TestOperatorAsInstalled runs the operator as its pod would be run: with the flags of its
// Deployment and no more rights than its account has, under the policies of the package.
func TestOperatorAsInstalled(t *testing.T) {
	tier.Long(t, "links an operator and a simulator")
	s := newSite(t)
	s.webhook(t)
	s.kubectl(t, "", "apply", "--server-side", "-k", s.dir)
	s.kubectl(t, "", "patch", "service", "strata-webhook", "-n", namespace, "--type=merge", "-p", `{"spec":{"type":"ExternalName","externalName":"localhost","clusterIP":null,"clusterIPs":null}}`)
	s.ready(t)
	simulator, err := env.StartSimulator(armsim.Options{Schemas: []string{"../../../schemas/crm"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, simulator.Close()) })
	s.operator(t, simulator)

	s.eventually(t, person, "apply", "--server-side", "-f", "-")
	s.kubectl(t, "", "wait", "--for=condition=Ready", "--timeout=1m", "persons.v20110101.crm.example.com/ada")
	s.reads(t, "v20190909", "{.status.properties.legalName}", "Ada Lovelace")
	const ada = "Microsoft.Crm/persons/ada"
	for _, version := range []string{"v20110101", "v20190909"} {
		if id := s.kubectl(t, "", "get", "persons."+version+".crm.example.com/ada", "-o", "jsonpath={.status.id}"); !strings.HasSuffix(id, ada) {
			t.Errorf("in %s the resource is %q", version, id)
		}
	}
	if id := s.eventually(t, "", "get", "configmap", "ada", "-n", "default", "-o", "jsonpath={.data.id}"); !strings.HasSuffix(id, ada) {
		t.Errorf("the ConfigMap has the identifier %q", id)
	}
	for _, call := range simulator.Calls() {
		if call.APIVersion != "2011-01-01" || call.Status >= 400 && call.Status != 404 {
			t.Errorf("%s in version %s: %d, %s", call.Method, call.APIVersion, call.Status, call.Response)
		}
	}
	if events := s.eventually(t, "", "events", "--for=person/ada", "--types=Normal"); !strings.Contains(events, "Created") {
		t.Errorf("the events are\n%s", events)
	}
	s.kubectl(t, "", "delete", "--timeout=1m", "persons.v20110101.crm.example.com/ada")
	if left, err := simulator.Resources(); err != nil || len(left) > 0 {
		t.Errorf("outside are %v (%v)", left, err)
	}
}

// operator starts the operator with the flags and the rights of its pod.
func (s *site) operator(t *testing.T, simulator *env.Simulator) {
	t.Helper()
	programs, err := env.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	arguments := s.kubectl(t, "", "get", "deployment", "strata-operator", "-n", namespace, "-o", `jsonpath={range .spec.template.spec.containers[0].args[*]}{@}{"\n"}{end}`)
	flags := append(strings.Fields(arguments), "--kubeconfig="+s.as(t, "strata-operator").Kubeconfig)
	if _, err := env.StartOperator(t.Context(), s.group, simulator, programs, "operator.log", flags...); err != nil {
		t.Fatal(err)
	}
}
