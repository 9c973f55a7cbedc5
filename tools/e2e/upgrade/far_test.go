package upgrade_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestOperatorsOfFiveReleases upgrades a cluster over five releases in one go, with an operator of
// each end. The new operator starts before the upgrade, and waits for its kinds. The old one works
// until the hub moves, and then stops. The upgrade makes no call to the external API. Afterwards
// the new operator applies edits through the oldest and the newest version.
func TestOperatorsOfFiveReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds two releases of the worked example")
	}
	tier.Long(t, "upgrades an operator over five releases")
	o := openOperators(t, six(t))
	u := &upgraded{pair: o.pair, program: program(t, strataCluster), plan: filepath.Join(t.TempDir(), "plan.json"), user: o.Kubeconfig}
	old, next := o.old.kinds[0], o.next.kinds[slices.IndexFunc(o.next.kinds, func(k *crds.Kind) bool { return k.Spec.Names.Kind == "Person" })]
	o.serve(o.old, o.old.kinds)
	o.namespace = crds.Namespace(t, o.client, "far-")
	o.await(o.old.kinds)
	persons := o.in(old)

	first := o.start(o.old)
	if err := first.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, version := range old.Versions {
		name := "ada-" + version
		object := manifest(old, version, name)
		unstructured.RemoveNestedField(object.Object, "spec", "owner")
		_ = unstructured.SetNestedField(object.Object, name, "spec", "azureName")
		shared.Must(t)(persons.Through(version).Create(t.Context(), object, metav1.CreateOptions{}))
		names = append(names, name)
	}
	ready := func() {
		t.Helper()
		for _, name := range names {
			awaitReady(t, persons, name, "True", "Succeeded")
		}
	}
	ready()
	specs := map[string]any{}
	for _, name := range names {
		for _, version := range old.Versions {
			specs[name+" in "+version] = values(persons.Get(version, name))["spec"]
		}
	}

	o.serve(o.next, o.old.kinds)
	o.await(o.old.kinds)
	second := o.start(o.next)
	awaitReady(t, persons, names[0], "False", "UpgradePending")
	o.event("UpgradePending")
	runs(t, first)
	o.simulator.ForgetCalls()
	u.does("plan", o.next.API, "--converter", o.next.webhook+" convert", "--webhook", o.probes, "--save", u.plan)
	work := []string{"--package", o.next.API, "--webhook", o.probes, "--server", o.Host(), "--grace", "1s"}
	u.does(append([]string{"apply", u.plan}, work...)...)
	if err := second.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.event("HubUnknown")
	ready()
	for _, c := range o.simulator.Calls() {
		if c.Method != "GET" {
			t.Errorf("the upgrade made the call %s %s", c.Method, c.Path)
		}
	}
	for _, name := range names {
		if got := o.storedVersion(old, name); got != next.Hub {
			t.Errorf("%s is stored in %s, want %s", name, got, next.Hub)
		}
		for _, version := range old.Versions {
			if want, is := fmt.Sprint(specs[name+" in "+version]), fmt.Sprint(values(persons.Get(version, name))["spec"]); want != is {
				t.Errorf("%s in %s was %s, and is %s", name, version, want, is)
			}
		}
	}
	runs(t, first)
	runs(t, second)
	stop(t, first)

	for i, version := range []string{old.Versions[0], latest(next)} {
		name := names[i]
		object := o.in(next).Get(version, name)
		text := fmt.Sprintf("00000000-0000-0000-0000-%012d", i)
		o.in(next).Update(version, changed(object, edited["Person"], text))
		shared.Eventually(t, crds.Patience, "the edit through "+version+" is applied", func() error {
			for _, c := range o.simulator.Calls() {
				if c.Method == "PUT" && filepath.Base(c.Path) == name {
					return nil
				}
			}
			return fmt.Errorf("no call for %s", name)
		})
	}
	ready()
	u.does(append([]string{"prune", nameOf(t, u.plan), "--yes"}, work...)...)
	ready()
	runs(t, second)
	for _, name := range names {
		if err := persons.Through(latest(old)).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	shared.Eventually(t, crds.Patience, "the objects are gone", func() error { // with their finalizers
		list, err := persons.Through(latest(old)).List(t.Context(), metav1.ListOptions{})
		if err == nil && len(list.Items) > 0 {
			return fmt.Errorf("%d are left", len(list.Items))
		}
		return err
	})
}
