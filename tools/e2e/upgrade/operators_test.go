package upgrade_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/releases"
	"github.com/stratakube/strata/tools/testcluster/process"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// operators starts operators of two releases.
type operators struct {
	*pair
	group     *process.Group
	simulator *env.Simulator
	plugins   string
	started   int
}

// quiet is longer than an operator takes to notice that a CRD has changed.
const quiet = 12 * time.Second

// TestOperatorsOfTwoReleases upgrades the worked example with an operator in the cluster. The new
// operator waits while the CRDs are old, and says so in conditions and an event. The old one stops
// before it acts on an object of a hub that it does not know: it makes no call and no write.
// Neither process ends.
func TestOperatorsOfTwoReleases(t *testing.T) {
	tier.Long(t, "links the operators of two releases")
	o := openOperators(t, lastTwo(t))
	persons := o.in(o.old.kinds[slices.IndexFunc(o.old.kinds, func(k *crds.Kind) bool { return k.Spec.Names.Kind == "Person" })])
	o.serve(o.old, o.old.kinds)
	o.namespace = crds.Namespace(t, o.client, "operators-")
	persons.Namespace = o.namespace
	o.await(o.old.kinds)
	version := latest(persons.Kind)

	first := o.start(o.old)
	if err := first.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	object := manifest(persons.Kind, version, "ada")
	unstructured.RemoveNestedField(object.Object, "spec", "owner")
	shared.Must(t)(persons.Through(version).Create(t.Context(), object, metav1.CreateOptions{}))
	awaitReady(t, persons, "ada", "True", "Succeeded")
	stop(t, first)

	waits := o.start(o.next)
	awaitReady(t, persons, "ada", "False", "UpgradePending")
	o.event("UpgradePending")
	if err := waits.IsReady(t.Context()); err == nil || !strings.Contains(err.Error(), "hubs") {
		t.Errorf("an operator that waits is ready: %v", err)
	}
	runs(t, waits)

	o.serve(o.next, o.next.kinds)
	o.await(o.next.kinds)
	if err := waits.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitReady(t, persons, "ada", "True", "Succeeded")
	stop(t, waits)

	o.serve(o.next, storing(o.next.kinds, persons.Kind.Hub))
	o.await(storing(o.next.kinds, persons.Kind.Hub))
	again := o.start(o.old)
	if err := again.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitReady(t, persons, "ada", "True", "Succeeded")
	// The old hub stays served, as after an upgrade: nothing but the operator itself stops it. An
	// object that is made through the new version before the operator looks at the CRD again has
	// values that the old hub lacks. So a create by the old operator could not be mended.
	next := o.in(o.next.kinds[slices.IndexFunc(o.next.kinds, func(k *crds.Kind) bool { return k.Spec.Names.Kind == "Person" })])
	both := storing(storing(o.next.kinds, persons.Kind.Hub), next.Kind.Hub)
	o.simulator.ForgetCalls()
	o.serve(o.next, both)
	fresh := manifest(next.Kind, latest(next.Kind), "byron")
	unstructured.RemoveNestedField(fresh.Object, "spec", "owner")
	_ = unstructured.SetNestedField(fresh.Object, "byron", "spec", "azureName")
	shared.Eventually(t, crds.Patience, "an object of the new version", func() error {
		_, err := next.Through(latest(next.Kind)).Create(t.Context(), fresh, metav1.CreateOptions{})
		return err
	})
	o.await(both)
	shared.Eventually(t, crds.Patience, "an old operator that stops", func() error {
		if again.IsReady(t.Context()) == nil {
			return errors.New("it is ready")
		}
		return nil
	})
	o.event("HubUnknown")
	edit := changed(persons.Get(version, "ada"), []string{"spec", "properties", "legalName"}, "Countess of Lovelace")
	edit = persons.Update(version, edit)
	time.Sleep(quiet)
	for _, c := range o.simulator.Calls() {
		if c.Method != "GET" {
			t.Errorf("an old operator made the call %s %s", c.Method, c.Path)
		}
	}
	if now := persons.Get(version, "ada"); now.GetResourceVersion() != edit.GetResourceVersion() {
		t.Error("an old operator wrote an object in a hub that it does not know")
	}
	runs(t, again)
	stop(t, again)

	last := o.start(o.next)
	if err := last.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	shared.Eventually(t, crds.Patience, "the edit is applied", func() error {
		for _, c := range o.simulator.Calls() {
			if c.Method == "PUT" && strings.Contains(c.Path, "persons/ada") {
				return nil
			}
		}
		return errors.New("no call")
	})
	awaitReady(t, persons, "ada", "True", "Succeeded")
	awaitReady(t, next, "byron", "True", "Succeeded")
	runs(t, last)
	shared.Eventually(t, crds.Patience, "the objects are gone", func() error { // with their finalizers
		for _, name := range []string{"ada", "byron"} {
			if err := persons.Through(version).Delete(t.Context(), name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
				return errors.New("it is being deleted")
			}
		}
		return nil
	})
}

func openOperators(t *testing.T, made []releases.Release) *operators {
	t.Helper()
	o := &operators{pair: openPair(t, made)}
	for _, s := range []*side{&o.old, &o.next} {
		if file := filepath.Join(s.CRDs(), "personsnotes.crm.example.com.yaml"); isThere(file) {
			s.kinds = append(s.kinds, crds.Read(t, file))
		}
	}
	everything["PersonsNote"] = crds.Example(t, "PersonsNote")
	var err error
	if o.plugins, err = env.BuildPlugins(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if o.group, err = process.Open("strata-operators-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.group.Close(); err != nil {
			t.Error(err)
		}
	})
	if o.simulator, err = env.StartSimulator(armsim.Options{Schemas: []string{"../../../schemas/crm"}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.simulator.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// start starts the operator of a release, and does not wait until it is ready.
func (o *operators) start(of side) *env.Operator {
	o.t.Helper()
	binary := once(o.t, "operator of "+of.API, func(ctx context.Context, _ string) (string, error) { return of.Operator(ctx) })
	o.started++
	out, err := env.LaunchOperator(o.group, o.simulator, env.Programs{Operator: binary, Plugins: o.plugins}, fmt.Sprintf("operator-%d.log", o.started),
		"--kubeconfig="+o.Kubeconfig, "--claim-key=default/strata-operator-claim-key", "--require-credentials=false")
	if err != nil {
		o.t.Fatal(err)
	}
	return out
}

// event waits for an event about the CRD of persons.
func (o *operators) event(reason string) {
	o.t.Helper()
	events := schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	shared.Eventually(o.t, crds.Patience, "an event "+reason, func() error {
		list, err := o.client.Resource(events).Namespace("default").List(o.t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range list.Items {
			about, _, _ := unstructured.NestedString(e.Object, "regarding", "name")
			why, _, _ := unstructured.NestedString(e.Object, "reason")
			if about == "persons.crm.example.com" && why == reason {
				return nil
			}
		}
		return errors.New("missing")
	})
}

// stop ends an operator as a rolling update does.
func stop(t *testing.T, o *env.Operator) {
	t.Helper()
	if err := o.Stop(); err != nil {
		t.Fatal(err)
	}
}

// runs requires that a process has not ended.
func runs(t *testing.T, o *env.Operator) {
	t.Helper()
	select {
	case <-o.Done():
		t.Errorf("the operator ended: %v\n%s", o.Err(), o.Output())
	default:
	}
}

func isThere(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// awaitReady waits until a person has a condition Ready.
func awaitReady(t *testing.T, p crds.Objects, name string, status metav1.ConditionStatus, reason string) {
	t.Helper()
	shared.Eventually(t, 2*crds.Patience, name+": Ready "+reason, func() error {
		object, err := p.Through(latest(p.Kind)).Get(context.WithoutCancel(t.Context()), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		var of struct {
			Status struct{ Conditions []metav1.Condition }
		}
		if err := recode(object.Object, &of); err != nil {
			return err
		}
		ready := meta.FindStatusCondition(of.Status.Conditions, "Ready")
		if ready == nil || ready.Status != status || ready.Reason != reason {
			return fmt.Errorf("Ready is %+v", ready)
		}
		return nil
	})
}
