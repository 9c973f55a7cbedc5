package conversion_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestClusterVersions calls `strata cluster versions` as users do: strata finds strata-cluster
// beside it.
func TestClusterVersions(t *testing.T) {
	tier.Long(t, "builds and runs strata-cluster")
	s := open(t)
	cluster := s.command(t)
	strata := func(args ...string) string {
		t.Helper()
		return cluster(append([]string{"versions"}, args...)...)
	}
	for _, k := range s.kinds {
		p := s.in(t, k, s.namespace(t))
		first, latest := k.Versions[0], k.latest()
		p.create(latest, "new")
		p.create(first, "old")
		var kind struct {
			Hub      string
			Objects  int
			Versions []struct {
				Name, Role string
				Served     bool
				Originals  int
			}
		}
		decode(t, strata(k.name, "-n", p.Namespace, "-o", "json"), &kind)
		if kind.Hub != k.Hub || kind.Objects != 2 || len(kind.Versions) != len(k.Spec.Versions) {
			t.Errorf("%s is %+v", k.name, kind)
		}
		for _, v := range kind.Versions {
			want := 0
			if v.Name == first || v.Name == latest {
				want = 1
			}
			if v.Originals != want || v.Served != (v.Role != "former") {
				t.Errorf("%s: %+v is the original of %d objects", k.name, v, want)
			}
		}
		for _, name := range []string{"new", "old"} {
			p.checkHidden(name, strata(strings.ToLower(k.name), name, "-n", p.Namespace, "-o", "json"))
		}
		if table := strata(k.Name, "new", "-n", p.Namespace); !strings.HasPrefix(table, k.name+" "+p.Namespace+"/new: original version "+latest+", stored in "+k.Hub+"\n") {
			t.Errorf("the table is\n%s", table)
		}
	}
}

// command builds strata and strata-cluster. It returns a function that runs `strata cluster` with
// arguments, and returns the output.
func (s *site) command(t *testing.T) func(args ...string) string {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, pkg := range []string{"./generator/cmd/strata", "./operator/cluster/cmd/strata-cluster"} {
		if err := programs.Build(t.Context(), command.In{Dir: w.Root}, filepath.Join(bin, filepath.Base(pkg)), pkg); err != nil {
			t.Fatal(err)
		}
	}
	return func(args ...string) string {
		t.Helper()
		args = append([]string{"cluster", args[0], "--kubeconfig", s.Kubeconfig}, args[1:]...)
		out, err := (command.In{}).Output(t.Context(), filepath.Join(bin, "strata"), args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// TestClusterMigrate applies objects in three versions, and calls `strata cluster migrate` for the
// case that one of them goes. The original versions and the contents stay. A manager that applies
// the converted manifest in the hub's API version then changes nothing, and one that leaves a
// property out removes it. A second run writes nothing.
func TestClusterMigrate(t *testing.T) {
	tier.Long(t, "migrates kinds with many versions")
	s := open(t)
	cluster := s.command(t)
	type result struct {
		Objects, Written, Unchanged, Entries int
		Poison, Inexact                      struct {
			Objects  int
			Examples []struct{ Object, Reason string }
		}
	}
	options := metav1.ApplyOptions{FieldManager: keeper}
	for _, k := range s.kinds {
		p := s.in(t, k, s.namespace(t))
		latest, before := k.latest(), map[string]*unstructured.Unstructured{}
		for _, from := range k.three()[:2] {
			shared.Must(t)(p.Through(from).Apply(t.Context(), "in-"+from, k.of(from, "in-"+from), options))
			before[from] = p.Stored("in-" + from)
		}
		args := []string{"migrate", k.name, "--histories", filepath.Join(api, "histories"), "--server", s.Host(), "-o", "json"}
		for _, from := range k.three()[:2] {
			args = append(args, "--gone", from)
		}
		var r result
		decode(t, cluster(args...), &r)
		if r.Written < 2 || r.Entries < 2 || r.Poison.Objects != 0 {
			t.Errorf("%s: %+v", k.name, r)
		}
		for from, old := range before {
			name := "in-" + from
			after := p.Stored(name)
			for _, e := range after.GetManagedFields() {
				if e.Manager == keeper && e.APIVersion != k.Spec.Group+"/"+latest {
					t.Errorf("%s: %s owns fields in %s", name, keeper, e.APIVersion)
				}
			}
			if diff := cmp.Diff(content(old), content(after)); diff != "" || old.GetGeneration() != after.GetGeneration() {
				t.Errorf("%s changed (-before +after):\n%s", name, diff)
			}
			labelled := p.Get(latest, name)
			labelled.SetLabels(map[string]string{"a": "b"})
			p.Update(latest, labelled)
			original := func(o *unstructured.Unstructured) string {
				version, _, _ := unstructured.NestedString(o.Object, "spec", "originalVersion")
				return version
			}
			if was, is := original(old), original(p.Stored(name)); was != is {
				t.Errorf("%s %s was written in %q, and now in %q", k.name, name, was, is)
			}
			manifest := k.of(latest, name)
			manifest.Object["spec"] = p.Get(latest, name).Object["spec"]
			if len(k.lacks(latest, manifest)) > 0 {
				continue // the version requires what the first one lacks
			}
			shared.Must(t)(p.Through(latest).Apply(t.Context(), name, manifest, options))
			if diff := cmp.Diff(content(old), content(p.Stored(name))); diff != "" {
				t.Errorf("the unchanged manifest changed %s %s (-before +after):\n%s", k.name, name, diff)
			}
			unstructured.RemoveNestedField(manifest.Object, "spec", "azureName")
			shared.Must(t)(p.Through(latest).Apply(t.Context(), name, manifest, options))
			want := content(old)
			unstructured.RemoveNestedField(want, "spec", "azureName")
			if diff := cmp.Diff(want, content(p.Stored(name))); diff != "" {
				t.Errorf("%s %s without azureName (-want +got):\n%s", k.name, name, diff)
			}
		}
		r = result{}
		decode(t, cluster(args...), &r)
		if r.Written != 0 || r.Entries != 0 || r.Unchanged != r.Objects {
			t.Errorf("%s: the second run: %+v", k.name, r)
		}
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// checkHidden compares the values that are reported as hidden with the object in each version.
// The hub must have each hidden value: as a property, in the bag or unchanged.
func (p view) checkHidden(name, text string) {
	p.t.Helper()
	var object struct {
		OriginalVersion string
		Versions        []struct {
			Version, Error string
			Bytes          int
			Hidden         []struct {
				Path, Key string
				Bytes     int
			}
		}
	}
	decode(p.t.(*testing.T), text, &object)
	if len(object.Versions) != len(p.kind.Versions) {
		p.t.Errorf("%s %s is shown in %d versions", p.kind.name, name, len(object.Versions))
	}
	hidden := 0
	for _, v := range object.Versions {
		bag, _, _ := unstructured.NestedString(p.Get(v.Version, name).Object, "status", "propertyBag")
		if v.Error != "" || v.Bytes != len(bag) {
			p.t.Errorf("%s %s in %s has a bag of %d bytes, not %d (%s)", p.kind.name, name, v.Version, len(bag), v.Bytes, v.Error)
		}
		for _, h := range v.Hidden {
			hidden++
			if !strings.Contains(bag, h.Key) || h.Bytes == 0 || !strings.HasPrefix(h.Path, "spec") && !strings.HasPrefix(h.Path, "status") {
				p.t.Errorf("%s %s in %s hides %+v, and the bag is %s", p.kind.name, name, v.Version, h, bag)
			}
		}
	}
	if name == "new" && hidden == 0 {
		p.t.Errorf("no version of %s hides anything of what the latest says", p.kind.name)
	}
}
