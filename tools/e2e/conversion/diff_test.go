package conversion_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// TestDiffOfCluster compares the CRDs of a cluster with those of the repository, and with those of
// a next release that lacks a property. The change names how many objects set the property.
func TestDiffOfCluster(t *testing.T) {
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
	diff := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), filepath.Join(bin, "strata"), append([]string{"diff"}, args...)...)
		c.Env = append(os.Environ(), "KUBECONFIG="+s.Kubeconfig)
		c.Dir = t.TempDir()
		var failed strings.Builder
		c.Stderr = &failed
		out, err := c.Output()
		if err != nil {
			t.Fatalf("strata diff %v: %v\n%s", args, err, failed.String())
		}
		return string(out)
	}
	crds := filepath.Join(w.Root, "operator", "api", "crds")
	if out := diff("kube://", crds); !strings.HasPrefix(out, "0 changes") {
		t.Errorf("the cluster differs from what it was made of:\n%s", out)
	}
	if out := diff(crds, "kube://", "--cluster", ""); !strings.HasPrefix(out, "0 changes") {
		t.Errorf("the cluster differs from what it was made of:\n%s", out)
	}

	next := t.TempDir()
	const name, property = "persons.crm.example.com.yaml", "familyName"
	text, err := os.ReadFile(filepath.Join(crds, name))
	if err != nil {
		t.Fatal(err)
	}
	changed := regexp.MustCompile(`(?m)^( +)`+property+`:$`).ReplaceAllString(string(text), "${1}surName:")
	if err := os.WriteFile(filepath.Join(next, name), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	var result struct {
		Comparisons []struct {
			Kind, To string
			Changes  []struct {
				Change, Path string
				Usage        *struct {
					Version       string
					Objects, Uses int
				}
			}
		}
	}
	uses := func() (objects, uses int) {
		t.Helper()
		decode(t, diff("kube://", next, "--only", "crm.example.com/persons", "--cluster", "", "-o", "json"), &result)
		found := false
		for _, c := range result.Comparisons {
			for _, one := range c.Changes {
				switch {
				case one.Change == "removed" && one.Path == "properties."+property && one.Usage != nil && one.Usage.Version == c.To:
					objects, uses, found = one.Usage.Objects, one.Usage.Uses, true
				case one.Change == "new" && one.Usage != nil:
					t.Errorf("a new property is set in objects: %+v", *one.Usage)
				}
			}
		}
		if !found {
			text, _ := json.Marshal(result)
			t.Fatalf("no usage of %s: %s", property, text)
		}
		return objects, uses
	}
	before, setBefore := uses()
	for _, k := range s.kinds {
		if k.Spec.Names.Kind == "Person" {
			p := s.in(t, k, s.namespace(t))
			p.create("v20140404", "with")
			p.create(k.latest(), "too")
		}
	}
	after, setAfter := uses()
	if after-before != 2 || setAfter-setBefore < 1 || setAfter > after {
		t.Errorf("%d of %d objects set %s, and %d of %d before two more were created", setAfter, after, property, setBefore, before)
	}
}
