package upgrade_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// bundle writes a package folder with a CRD that Strata has not generated.
func (s *site) bundle(edit func(*v1.CustomResourceDefinition)) string {
	s.t.Helper()
	d := v1.CustomResourceDefinition{TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}}
	d.Name = s.kind.Name
	s.kind.Spec.DeepCopyInto(&d.Spec)
	edit(&d)
	text, err := json.Marshal(d)
	if err != nil {
		s.t.Fatal(err)
	}
	var of map[string]any
	if err := json.Unmarshal(text, &of); err != nil {
		s.t.Fatal(err)
	}
	delete(of, "status")
	if text, err = yaml.Marshal(of); err != nil {
		s.t.Fatal(err)
	}
	dir := s.t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "crds"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "crds", "widgets.yaml"), text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

// hub makes a version the storage version of a CRD.
func hub(d *v1.CustomResourceDefinition, version string) {
	for i := range d.Spec.Versions {
		d.Spec.Versions[i].Storage = d.Spec.Versions[i].Name == version
	}
}

// reasonsOf returns the reasons of a saved plan; those of notes end with a star.
func reasonsOf(t *testing.T, file string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var of struct {
		Kinds []struct {
			Findings []struct {
				Reason, Path string
				Note         bool
			}
		}
	}
	if err := json.Unmarshal(text, &of); err != nil {
		t.Fatal(err)
	}
	for _, k := range of.Kinds {
		for _, f := range k.Findings {
			reason := strings.TrimSpace(f.Reason + " " + f.Path)
			if f.Note {
				reason += "*"
			}
			out = append(out, reason)
		}
	}
	return out
}

// TestKindsOfOthers plans and applies the upgrade of a kind that Strata has not generated, without
// a converter. If the schemas differ, the plan names the value that a write would remove. If they
// do not, it states that no webhook is needed. Later the kind gets a hub of Strata, and no object
// changes.
func TestKindsOfOthers(t *testing.T) {
	tier.Long(t, "migrates kinds of other projects")
	s := open(t, "others.example.com")
	s.user = s.Kubeconfig
	h := &hubs{site: s, plan: filepath.Join(t.TempDir(), "plan.json")}
	s.fill(40)
	shared.Must(t)(s.through("v1").Create(t.Context(), s.widget("v1", "differs", map[string]any{"legacy": "x"}), metav1.CreateOptions{}))

	differs := s.bundle(func(d *v1.CustomResourceDefinition) { hub(d, "v2") })
	if code, out := h.run("plan", differs, "--save", h.plan); code != 1 || !strings.Contains(out, s.namespace+"/differs") {
		t.Fatalf("schemas that differ: exit code %d\n%s", code, out)
	}
	if got, want := reasonsOf(t, h.plan), []string{"HubChanged spec.legacy"}; !slices.Equal(got, want) {
		t.Errorf("schemas that differ: %q, want %q", got, want)
	}

	same := s.bundle(func(d *v1.CustomResourceDefinition) {
		hub(d, "v2")
		d.Spec.Versions[1].Schema = d.Spec.Versions[0].Schema
	})
	if code, out := h.run("plan", same, "--save", h.plan); code != 0 {
		t.Fatalf("equal schemas: exit code %d\n%s", code, out)
	}
	if got, want := reasonsOf(t, h.plan), []string{"Uniform*"}; !slices.Equal(got, want) {
		t.Errorf("equal schemas: %q, want %q", got, want)
	}
	before := map[string]any{}
	for name, o := range s.all() {
		before[name] = content(o)["spec"]
	}
	h.reaches("apply", "v2", 41, h.work(same, "apply", h.plan)...)

	next := s.bundle(func(d *v1.CustomResourceDefinition) {
		d.Spec.Versions[1].Schema = d.Spec.Versions[0].Schema
		stored := *d.Spec.Versions[1].DeepCopy()
		stored.Name = "v2storage"
		d.Spec.Versions = append(d.Spec.Versions, stored)
		hub(d, "v2storage")
	})
	later := filepath.Join(t.TempDir(), "plan.json")
	if code, out := h.run("plan", next); code != 2 || !strings.Contains(out, "--converter is missing") {
		t.Errorf("a hub without a converter: exit code %d\n%s", code, out)
	}
	if code, out := h.run("plan", next, "--converter", os.Args[0], "--save", later); code != 0 {
		t.Fatalf("a hub: exit code %d\n%s", code, out)
	}
	h.history(next)
	h.reaches("apply a hub", "v2storage", 41, h.work(next, "apply", later)...)
	h.reaches("prune", "v2storage", 41, h.work(next, "prune", "--yes", nameOf(t, later))...)
	for name, o := range s.all() {
		if a, b := fmt.Sprint(before[name]), fmt.Sprint(content(o)["spec"]); name != "differs" && a != b {
			t.Errorf("%s was %s and is %s", name, a, b)
		}
	}
	d := shared.Must(t)(s.client.Resource(crds.Definitions).Get(t.Context(), s.kind.Name, metav1.GetOptions{}))
	if stored, _, _ := unstructured.NestedStringSlice(d.Object, "status", "storedVersions"); !slices.Equal(stored, []string{"v2storage"}) {
		t.Errorf("storedVersions is %v", stored)
	}
}

// reaches runs a command, after which etcd has all objects in a version.
func (h *hubs) reaches(what, version string, count int, args ...string) {
	h.t.Helper()
	if code, out := h.run(args...); code != 0 {
		h.t.Fatalf("%s: exit code %d\n%s", what, code, out)
	}
	list, err := h.through(version).List(h.t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != count {
		h.t.Fatalf("%s: %d objects, want %d; %v", what, len(list.Items), count, err)
	}
	for i := range list.Items {
		if got := h.stored(list.Items[i].GetName()); got != version {
			h.t.Errorf("%s: %s is stored in %s", what, list.Items[i].GetName(), got)
		}
	}
}

// history writes the property histories of a package whose versions differ in nothing.
func (h *hubs) history(dir string) {
	h.t.Helper()
	text := fmt.Sprintf(`{"format":1,"group":%q,"kind":"Widget","plural":"widgets","spec":0,"status":1,"objects":[{"properties":[]},{"properties":[]}],
		"versions":[{"name":"v1","next":1},{"name":"v2","storage":"v2storage","next":1}]}`, h.kind.Spec.Group)
	if err := os.MkdirAll(filepath.Join(dir, "histories", "g"), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "histories", "g", "widgets.json"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}
