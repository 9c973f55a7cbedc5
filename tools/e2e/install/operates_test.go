package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestOperatorAsInstalled runs the operator as its pod would be run: with the flags of its
// Deployment and no more rights than its account has, under the policies of the package.
func TestOperatorAsInstalled(t *testing.T) {
	tier.Long(t, "links an operator and a simulator")
	s := newSite(t)
	simulator := s.installed(t)
	s.operators(t, simulator, 1)

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

// installed applies the package, waits for its webhook, and starts a simulator of the external API.
func (s *site) installed(t *testing.T) *env.Simulator {
	t.Helper()
	s.webhook(t)
	s.kubectl(t, "", "apply", "--server-side", "-k", s.dir)
	s.expose(t)
	s.ready(t)
	simulator, err := env.StartSimulator(armsim.Options{Schemas: []string{"../../../schemas/crm"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, simulator.Close()) })
	return simulator
}

// operators starts replicas of the operator with the flags and the rights of its pods.
func (s *site) operators(t *testing.T, simulator *env.Simulator, count int) (all []*env.Operator) {
	t.Helper()
	programs, err := env.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	arguments := s.kubectl(t, "", "get", "deployment", "strata-operator", "-n", namespace, "-o", `jsonpath={range .spec.template.spec.containers[0].args[*]}{@}{"\n"}{end}`)
	flags := append(strings.Fields(arguments), "--kubeconfig="+s.as(t, "strata-operator").Kubeconfig)
	for i := range count {
		o, err := env.StartOperator(t.Context(), s.group, simulator, programs, fmt.Sprintf("operator%d.log", i), flags...)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// TestSharingOperatorsAsInstalled runs three replicas with the flags and the rights of a package
// whose replicas share namespaces. All of them reconcile. When one is killed, the others have its
// namespaces.
func TestSharingOperatorsAsInstalled(t *testing.T) {
	tier.Long(t, "links operators and a simulator")
	s := newSite(t)
	simulator := s.installed(t)
	s.kubectl(t, sharing(t), "apply", "--server-side", "--force-conflicts", "-f", "-")
	all := s.operators(t, simulator, 3)
	people := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			team := fmt.Sprintf("team-%d", i)
			s.kubectl(t, "", "create", "namespace", team)
			s.eventually(t, strings.Replace(person, "{name: ada, namespace: default}", "{name: "+team+", namespace: "+team+"}", 1), "apply", "--server-side", "-f", "-")
		}
		for i := from; i < to; i++ {
			team := fmt.Sprintf("team-%d", i)
			s.kubectl(t, "", "wait", "--for=condition=Ready", "--timeout=2m", "-n", team, "persons.v20110101.crm.example.com/"+team)
		}
	}
	shared.Eventually(t, crds.Patience, "each replica has shards", func() error {
		for i, o := range all {
			switch has, err := o.Shards(); {
			case err != nil:
				return err
			case has == 0:
				return fmt.Errorf("replica %d has none", i)
			}
		}
		return nil
	})
	people(0, 8)
	if err := all[0].Kill(); err != nil {
		t.Fatal(err)
	}
	people(8, 16)
	for i, o := range all {
		if printed := o.Output(); strings.Contains(printed, "forbidden") {
			t.Errorf("replica %d lacks rights:\n%s", i, printed)
		}
	}
}

// sharing returns what a package has for an operator whose replicas share namespaces: all but the
// CRDs, the service and the namespace.
func sharing(t *testing.T) string {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	schemas := filepath.Join(w.Root, "schemas", "crm")
	text, err := os.ReadFile(filepath.Join(schemas, "strata.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := string(text)
	for was, is := range map[string]string{
		"{root: .,":             "{root: " + schemas + ",",
		"dir: ../../operator":   "dir: " + filepath.Join(w.Root, "operator"),
		"chart, operator: true": "chart, operator: {shardNamespaces: true}",
	} {
		if strings.Count(config, was) != 1 {
			t.Fatalf("the configuration does not have %q once", was)
		}
		config = strings.Replace(config, was, is, 1)
	}
	file := filepath.Join(t.TempDir(), "strata.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	manifests, err := command.In{Dir: w.Root}.Output(t.Context(), "go", "run", "./generator/cmd/strata", "install", "--config", file)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, one := range strings.Split(manifests, "\n---\n") {
		var of metav1.TypeMeta
		if err := yaml.Unmarshal([]byte(one), &of); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains([]string{"CustomResourceDefinition", "Service", "Namespace"}, of.Kind) {
			kept = append(kept, one)
		}
	}
	return strings.Join(kept, "\n---\n")
}
