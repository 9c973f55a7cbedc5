package conversion_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// TestClusterVersions calls `strata cluster versions` as users do: strata finds strata-cluster
// beside it.
func TestClusterVersions(t *testing.T) {
	s := open(t)
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
	strata := func(args ...string) string {
		t.Helper()
		args = append([]string{"cluster", "versions", "--kubeconfig", s.Kubeconfig}, args...)
		out, err := (command.In{}).Output(t.Context(), filepath.Join(bin, "strata"), args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
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
