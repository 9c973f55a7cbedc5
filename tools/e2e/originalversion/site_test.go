package originalversion_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/generate"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) { shared.Main(m) }

// site is an API in a cluster, with an operator that looks after it.
type site struct {
	*env.Env
	client  dynamic.Interface
	kinds   []*kind
	schemas *generate.Schemas
	// ahead is how far the clock of the simulator is ahead, in nanoseconds.
	ahead atomic.Int64
}

// kind is a kind of the API.
type kind struct {
	name, group, plural string
	external            string    // as in Microsoft.Batch/batchAccounts
	ofCluster           bool      // its objects are in no namespace
	served              []version // in their order
	hub                 string    // the label of the version that is stored
}

// version is an API version of a kind.
type version struct {
	label, external string
	file            string // of its schema
	hub             bool   // whether the hub is its storage type
}

// open sets up an API in the cluster of the package.
func open(t *testing.T, programs env.Programs, api, schemas string) *site {
	t.Helper()
	s := &site{kinds: kindsOf(t, api), schemas: generate.Open(schemas)}
	var err error
	s.Env, err = env.Open(t.Context(), env.Options{
		Programs: programs, Definitions: filepath.Join(api, "crds"), Cluster: shared.Of(t), Report: func(line string) { t.Log(line) },
		Simulator: armsim.Options{Schemas: []string{schemas}, Now: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Define(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.client = shared.Client(t, s.Config)
	return s
}

// kindsOf reads the kinds of the generated files.
func kindsOf(t *testing.T, api string) []*kind {
	t.Helper()
	m, err := corpus.ReadManifest(api)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []*kind
	for _, r := range m.Resources {
		i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == r.Kind && k.group == r.Group })
		if i < 0 {
			i, kinds = len(kinds), append(kinds, &kind{name: r.Kind, group: r.Group, plural: r.Plural, external: r.Source.Type})
		}
		if r.Hub {
			kinds[i].hub = r.Storage
		}
		if r.Served {
			kinds[i].served = append(kinds[i].served, version{r.Version, r.Source.Version, r.Source.File, r.Hub})
		}
	}
	return kinds
}

func (s *site) kind(t *testing.T, name string) *kind {
	t.Helper()
	i := slices.IndexFunc(s.kinds, func(k *kind) bool { return k.name == name })
	if i < 0 {
		t.Fatalf("the API has no %s", name)
	}
	return s.kinds[i]
}

// owner is the kind that owns this one, by the name of its type; nil if none does.
func (s *site) owner(k *kind) *kind {
	for _, other := range s.kinds {
		if parent, last := filepath.Split(k.external); last != "" && strings.EqualFold(strings.TrimSuffix(parent, "/"), other.external) {
			return other
		}
	}
	return nil
}

// other is a version beside v.
func (k *kind) other(v version) version {
	for _, other := range slices.Backward(k.served) {
		if other.label != v.label {
			return other
		}
	}
	return v
}

// of is a kind's resource in a version, in the namespace of all tests.
func (s *site) of(k *kind, label string) dynamic.ResourceInterface {
	resource := s.client.Resource(schema.GroupVersionResource{Group: k.group, Version: label, Resource: k.plural})
	if k.ofCluster {
		return resource
	}
	return resource.Namespace("default")
}

// object is a resource in a version.
func (k *kind) object(label, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": k.group + "/" + label, "kind": k.name,
		"metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

func (s *site) create(t *testing.T, k *kind, label, name string, spec map[string]any) {
	t.Helper()
	if _, err := s.of(k, label).Create(t.Context(), k.object(label, name, spec), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (s *site) get(t *testing.T, k *kind, label, name string) *unstructured.Unstructured {
	t.Helper()
	object, err := s.of(k, label).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// merge changes an object through a version.
func (s *site) merge(t *testing.T, k *kind, label, name, patch string) {
	t.Helper()
	if _, err := s.of(k, label).Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// original is the version that the cluster stores as the one that the user wrote.
func (s *site) original(t *testing.T, k *kind, name string) string {
	t.Helper()
	original, _, _ := unstructured.NestedString(s.get(t, k, k.hub, name).Object, "spec", "originalVersion")
	return original
}

// condition is one of a status: its status and its message.
func condition(object *unstructured.Unstructured, kind string) (status, message string) {
	all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, one := range all {
		if c, _ := one.(map[string]any); c["type"] == kind {
			return fmt.Sprint(c["status"]), fmt.Sprint(c["reason"], ": ", c["message"])
		}
	}
	return "", ""
}

// awaitReady waits until an object is ready in its present generation.
func (s *site) awaitReady(t *testing.T, k *kind, name string) *unstructured.Unstructured {
	t.Helper()
	var object *unstructured.Unstructured
	shared.Eventually(t, patience, k.name+" "+name, func() error {
		var err error
		if object, err = s.of(k, k.hub).Get(t.Context(), name, metav1.GetOptions{}); err != nil {
			return err
		}
		status, message := condition(object, "Ready")
		if status != "True" || observed(object) != object.GetGeneration() {
			return fmt.Errorf("%s %s is Ready=%s, %s; generation %d, observed %d", k.name, name, status, message, object.GetGeneration(), observed(object))
		}
		return nil
	})
	return object
}

// observed is the generation that the Ready condition is about.
func observed(object *unstructured.Unstructured) int64 {
	all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, one := range all {
		if c, _ := one.(map[string]any); c["type"] == "Ready" {
			generation, _ := c["observedGeneration"].(int64)
			return generation
		}
	}
	return 0
}

// calls returns the calls that the external API received for a resource, by its name there.
func (s *site) calls(k *kind, name string) []armsim.Call {
	end := "/" + strings.ToLower(last(k.external)+"/"+name)
	return slices.DeleteFunc(s.Simulator.Calls(), func(c armsim.Call) bool { return !strings.HasSuffix(strings.ToLower(c.Path), end) })
}

func (s *site) puts(k *kind, name string) []armsim.Call {
	return slices.DeleteFunc(s.calls(k, name), func(c armsim.Call) bool { return c.Method != http.MethodPut })
}

func last(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// body returns a spec without Strata's own members: the body that the external API must receive.
func body(spec map[string]any) map[string]any {
	sent := map[string]any{}
	for name, value := range spec {
		if !slices.Contains([]string{"azureName", "owner", "secretRefs", "configMapRefs", "outputs"}, name) {
			sent[name] = value
		}
	}
	return sent
}

// normal is a value as JSON has it.
func normal(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

const patience = 90 * time.Second
