package originalversion_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

const fleetConfig = `{"apiVersion": "strata.dev/v1alpha1", "kind": "Generation", "sources": [{"go": {"packages": ["./fleet"]}}],
	"output": {"dir": "api", "module": "` + corpus.ModulePath + `/api"}}`

// TestFleet is the second example, an API that is written in Go: a kind of the cluster, and a
// kind that is scaled.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	tier.Long(t, "builds an operator for another API")
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	command, err := corpus.Build(t.Context(), w, dir)
	if err != nil {
		t.Fatal(err)
	}
	m, closing, err := corpus.OpenModule(w, "fleet", corpus.Project{Like: "tools", NoARM: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closing)
	text, err := os.ReadFile("testdata/fleet/fleet.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{"fleet/fleet.go": text, "strata.yaml": []byte(fleetConfig)} {
		if err := m.WriteNew(name, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(m.Output()); err != nil { // no ledger: every run is a first one
		t.Fatal(err)
	}
	if _, err := command.Generate(t.Context(), m.Project); err != nil {
		t.Fatal(err)
	}
	s := open(t, build(t, m, dir), m.Output(), "testdata/outside")
	o, err := s.Operate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.kind(t, "Depot").ofCluster = true
	s.depot(t, o)
	if _, err := s.Operate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.depotGoes(t)
	s.scaled(t)
}

// depot makes an object that is in no namespace, and has the operator killed while it is changed.
func (s *site) depot(t *testing.T, o *env.Operator) {
	depots := s.kind(t, "Depot")
	s.create(t, depots, "v1alpha1", "north", map[string]any{"town": "Tromsø"})
	s.awaitReady(t, depots, "north")
	if err := o.Kill(); err != nil {
		t.Fatal(err)
	}
	s.merge(t, depots, "v1", "north", `{"spec":{"city":"Bodø"}}`)
}

// depotGoes checks that the next operator updates the existing resource, creates none, and
// deletes it with its object.
func (s *site) depotGoes(t *testing.T) {
	depots := s.kind(t, "Depot")
	shared.Eventually(t, patience, "the city is sent", func() error {
		puts := s.puts(depots, "north")
		if len(puts) != 2 || string(puts[0].Body) != `{"town":"Tromsø"}` || string(puts[1].Body) != `{"city":"Bodø"}` {
			return fmt.Errorf("the bodies are %v", summary(puts))
		}
		return nil
	})
	object := s.awaitReady(t, depots, "north")
	if city, _, _ := unstructured.NestedString(object.Object, "status", "city"); city != "Bodø" {
		t.Errorf("the status has the city %q", city)
	}
	if stats, err := s.Simulator.Stats(); err != nil || stats.Creates != 1 || stats.Duplicates != 0 {
		t.Errorf("outside: %+v (%v)", stats, err)
	}
	if err := s.of(depots, "v1").Delete(t.Context(), "north", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	shared.Eventually(t, patience, "the depot goes", func() error {
		if _, err := s.of(depots, "v1").Get(t.Context(), "north", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("it is there: %v", err)
		}
		return nil
	})
	calls := s.calls(depots, "north")
	if last := calls[len(calls)-1]; last.Method != http.MethodDelete && last.Status != http.StatusNotFound {
		t.Errorf("the last call is %s %d", last.Method, last.Status)
	}
}

// scaled writes the scale subresource, in a version that the object was not written in: the number
// is sent, and the version stays the one that the user wrote.
func (s *site) scaled(t *testing.T) {
	robots := s.kind(t, "Robot")
	s.create(t, robots, "v1alpha1", "bees", map[string]any{"replicas": int64(2), "color": "yellow"})
	s.awaitReady(t, robots, "bees")
	for i, label := range []string{"v1", "v1alpha1"} {
		replicas := int64(5 + i)
		scale, err := s.of(robots, label).Patch(t.Context(), "bees", types.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), metav1.PatchOptions{}, "scale")
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := unstructured.NestedInt64(scale.Object, "spec", "replicas"); scale.GetKind() != "Scale" || got != replicas {
			t.Errorf("%s: the scale is %v", label, scale.Object)
		}
		object := s.awaitReady(t, robots, "bees")
		if got, _, _ := unstructured.NestedInt64(object.Object, "status", "replicas"); got != replicas {
			t.Errorf("%s: the status has %d replicas, want %d", label, got, replicas)
		}
		if original := s.original(t, robots, "bees"); original != "v1alpha1" {
			t.Errorf("%s: the original version is %s", label, original)
		}
		puts := s.puts(robots, "bees")
		last := puts[len(puts)-1]
		if want := fmt.Sprintf(`{"color":"yellow","replicas":%d}`, replicas); string(last.Body) != want && string(last.Body) != fmt.Sprintf(`{"replicas":%d,"color":"yellow"}`, replicas) || last.APIVersion != "v1alpha1" {
			t.Errorf("%s: sent is %s in %s, want %s", label, last.Body, last.APIVersion, want)
		}
	}
	scale, err := s.of(robots, "v1").Get(t.Context(), "bees", metav1.GetOptions{}, "scale")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := unstructured.NestedInt64(scale.Object, "status", "replicas"); got != 6 {
		t.Errorf("the scale says %d replicas, want 6", got)
	}
}
