package shards_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) { shared.Main(m) }

const (
	patience = 2 * time.Minute
	label    = "strata.dev/shard"
)

var (
	persons    = schema.GroupVersionResource{Group: "crm.example.com", Version: "v20190909", Resource: "persons"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	leases     = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
)

// company is three replicas and the namespaces that they share.
type company struct {
	*testing.T
	*env.Env
	client     dynamic.Interface
	replicas   []*env.Operator
	namespaces []string
	persons    map[string]string // the namespaces of persons, by their names, which are unique
}

func begin(t *testing.T) *company {
	t.Helper()
	programs, err := env.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &company{T: t, persons: map[string]string{}}
	if c.Env, err = env.Open(t.Context(), env.Options{
		Programs: programs, Definitions: "../../../operator/api/crds", Cluster: shared.Of(t),
		Simulator: armsim.Options{Schemas: []string{"../../../schemas/crm"}},
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := c.Define(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.client = shared.Client(t, c.Config)
	for i := range 12 {
		c.namespace(fmt.Sprintf("shared-%d", i), "")
	}
	return c
}

// namespace creates a namespace with a label, unless the value is empty.
func (c *company) namespace(name, value string) {
	c.Helper()
	object := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
	if value != "" {
		object["metadata"].(map[string]any)["labels"] = map[string]any{label: value}
	}
	if _, err := c.client.Resource(namespaces).Create(c.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
	c.namespaces = append(c.namespaces, name)
}

// starts starts a replica.
func (c *company) starts() *env.Operator {
	c.Helper()
	o, err := c.Operate(c.Context(), "--shard-namespaces", "--leader-election-namespace=default", "--require-credentials=false", "--resync=5m",
		"--leader-election-lease=4s", "--leader-election-renew=3s", "--leader-election-retry=500ms", "--call-timeout=5s")
	if err != nil {
		c.Fatal(err)
	}
	c.replicas = append(c.replicas, o)
	return o
}

// ends forgets a replica that was stopped.
func (c *company) ends(o *env.Operator, err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
	c.replicas = slices.DeleteFunc(c.replicas, func(other *env.Operator) bool { return other == o })
}

// awaitBalance waits until the replicas have all shards, and none has more than its share.
func (c *company) awaitBalance() {
	c.Helper()
	most := (env.Shards + len(c.replicas) - 1) / len(c.replicas)
	shared.Eventually(c, patience, "the replicas have all shards", func() error {
		var has []int
		sum := 0
		for _, o := range c.replicas {
			n, err := o.Shards()
			if err != nil {
				return err
			}
			sum += n
			has = append(has, n)
		}
		if sum != env.Shards || slices.Max(has) > most {
			return fmt.Errorf("the replicas have %v shards, want %d in all, and %d at most", has, env.Shards, most)
		}
		return nil
	})
}

// creates creates persons in all namespaces.
func (c *company) creates(prefix string, each int) {
	c.Helper()
	for i, namespace := range c.namespaces {
		for n := range each {
			name := fmt.Sprintf("%s-%d-%d", prefix, i, n)
			c.create(namespace, name)
			c.persons[name] = namespace
		}
	}
}

func (c *company) create(namespace, name string) {
	c.Helper()
	person := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": persons.GroupVersion().String(), "kind": "Person", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"properties": map[string]any{"legalName": "Ada King", "familyName": "King"}},
	}}
	if _, err := c.client.Resource(persons).Namespace(namespace).Create(c.Context(), person, metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
}

// edit changes a person.
func (c *company) edit(name string) {
	c.Helper()
	patch := []byte(`{"spec":{"properties":{"legalName":"Augusta Ada King"}}}`)
	if _, err := c.client.Resource(persons).Namespace(c.persons[name]).Patch(c.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		c.Fatal(err)
	}
}

// ready returns the condition Ready of a person as "Status Reason", of its last generation.
func (c *company) ready(ctx context.Context, namespace, name string) (string, error) {
	object, err := c.client.Resource(persons).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, one := range conditions {
		if m := one.(map[string]any); m["type"] == "Ready" {
			if observed, _ := m["observedGeneration"].(int64); observed != object.GetGeneration() {
				return "", fmt.Errorf("generation %d of %s is not reconciled", object.GetGeneration(), name)
			}
			return fmt.Sprint(m["status"], " ", m["reason"]), nil
		}
	}
	return "", fmt.Errorf("%s has no condition", name)
}

// awaitReady waits until all persons are ready.
func (c *company) awaitReady() {
	c.Helper()
	for _, name := range slices.Sorted(maps.Keys(c.persons)) {
		shared.Eventually(c, patience, name+" is ready", func() error {
			is, err := c.ready(c.Context(), c.persons[name], name)
			if err == nil && is != "True Succeeded" {
				return fmt.Errorf("it is %s", is)
			}
			return err
		})
	}
}

// hasOnce fails the test unless the external API has each person, and was asked once to create it.
func (c *company) hasOnce() {
	c.Helper()
	resources, err := c.Simulator.Resources()
	if err != nil {
		c.Fatal(err)
	}
	has := map[string]armsim.Resource{}
	for _, r := range resources {
		has[r.ID[strings.LastIndex(r.ID, "/")+1:]] = r
	}
	for name := range c.persons {
		if r := has[name]; r.Creates != 1 {
			c.Errorf("%s was created %d times", name, r.Creates)
		}
	}
	if stats, err := c.Simulator.Stats(); err != nil || stats.Duplicates != 0 {
		c.Errorf("%d resources were created twice (%v)", stats.Duplicates, err)
	}
}

// reconciled returns how many passes each replica has made.
func (c *company) reconciled() (all []int) {
	c.Helper()
	for _, o := range c.replicas {
		metrics, err := o.Metrics()
		if err != nil {
			c.Fatal(err)
		}
		sum := 0
		for name, value := range metrics {
			if strings.HasPrefix(name, "strata_operator_provider_calls_total") && strings.Contains(name, `method="Apply"`) {
				n, _ := strconv.Atoi(value)
				sum += n
			}
		}
		all = append(all, sum)
	}
	return all
}

// TestReplicasShareNamespaces starts three replicas, kills one, ends one, and starts others. All
// objects are reconciled by one replica each, and no resource is created twice.
func TestReplicasShareNamespaces(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	c := begin(t)
	each := tier.IfSoak(2, 20)
	for range 3 {
		c.starts()
	}
	c.awaitBalance()
	c.creates("first", each)
	c.awaitReady()
	for i, n := range c.reconciled() {
		if n == 0 {
			t.Errorf("replica %d has created nothing", i)
		}
	}
	c.hasOnce()

	// A replica is killed while it creates resources. The other two get its shards.
	c.creates("killed", each)
	c.ends(c.replicas[0], c.replicas[0].Kill())
	c.awaitReady()
	c.awaitBalance()
	c.hasOnce()

	// Another one starts. It takes shards over without a pause of a Lease, as the objects show that
	// change meanwhile.
	c.creates("grown", each)
	c.starts()
	for name := range c.persons {
		if strings.HasPrefix(name, "first-") {
			c.edit(name)
		}
	}
	c.awaitReady()
	c.awaitBalance()
	c.hasOnce()

	// A replica ends as at an update. It releases its Leases, and leaves none of its own.
	c.creates("ended", each)
	c.ends(c.replicas[0], c.replicas[0].Stop())
	c.awaitReady()
	c.awaitBalance()
	c.hasOnce()
	list, err := c.client.Resource(leases).Namespace("default").List(t.Context(), metav1.ListOptions{LabelSelector: "strata.dev/replicas-of=strata-operator"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(list.Items); n < 2 || n > 3 { // the one that was killed may still have one
		t.Errorf("%d replicas have leases, want those of 2, and perhaps that of one that was killed", n)
	}

	c.moves()
	c.contends()
}

// moves gives labels to a namespace, so that it moves to other replicas. Its objects are reconciled
// again and again.
func (c *company) moves() {
	c.Helper()
	name := slices.Sorted(maps.Keys(c.persons))[0]
	for _, value := range tier.IfLong([]string{"a"}, []string{"a", "b", "c"}) {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, label, value)
		if _, err := c.client.Resource(namespaces).Patch(c.Context(), c.persons[name], types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			c.Fatal(err)
		}
		c.edit(name)
		patch = fmt.Appendf(nil, `{"spec":{"tags":{"moved":%q}}}`, value)
		if _, err := c.client.Resource(persons).Namespace(c.persons[name]).Patch(c.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			c.Fatal(err)
		}
		c.awaitReady()
	}
	c.hasOnce()
}

// contends creates objects in all namespaces that mean the same resources, at the same time. One
// object of each gets its resource, which is created once.
func (c *company) contends() {
	c.Helper()
	for n := range tier.IfLong(1, 3) {
		name := fmt.Sprintf("contended-%d", n)
		for _, namespace := range c.namespaces {
			c.create(namespace, name)
		}
		shared.Eventually(c, patience, "one object owns "+name, func() error {
			owners, others := 0, 0
			for _, namespace := range c.namespaces {
				is, err := c.ready(c.Context(), namespace, name)
				switch {
				case err != nil:
					return err
				case is == "True Succeeded":
					owners++
					c.persons[name] = namespace
				case is == "False OwnedByAnother":
					others++
				default:
					return fmt.Errorf("in %s it is %s", namespace, is)
				}
			}
			if owners != 1 || owners+others != len(c.namespaces) {
				return fmt.Errorf("%d own it, %d name another one", owners, others)
			}
			return nil
		})
	}
	c.hasOnce()
}
