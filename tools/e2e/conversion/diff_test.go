package conversion_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// commands builds strata, and the program by which it reads clusters. It returns a function that
// runs a command on the cluster in an empty folder, and the folder of the workspace.
func commands(t *testing.T, s *site) (strata func(args ...string) (string, error), root string) {
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
	return func(args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), filepath.Join(bin, "strata"), args...)
		c.Env = append(os.Environ(), "KUBECONFIG="+s.Kubeconfig)
		c.Dir = t.TempDir()
		var failed strings.Builder
		c.Stderr = &failed
		out, err := c.Output()
		if err != nil {
			err = fmt.Errorf("strata %v: %w\n%s", args, err, failed.String())
		}
		return string(out), err
	}, w.Root
}

// TestDiffOfCluster compares the CRDs of a cluster with those of the repository, and with those of
// a next release that lacks a property. The change names how many objects set the property.
func TestDiffOfCluster(t *testing.T) {
	tier.Long(t, "builds and runs strata")
	s := open(t)
	strata, root := commands(t, s)
	diff := func(args ...string) string {
		t.Helper()
		out, err := strata(append([]string{"diff"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	crds := filepath.Join(root, "operator", "api", "crds")
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

// TestExplorerOfCluster writes the pages of the worked example with the numbers of the cluster's
// objects, before and after two more persons are created.
func TestExplorerOfCluster(t *testing.T) {
	tier.Long(t, "builds and runs strata")
	s := open(t)
	strata, root := commands(t, s)
	persons := func() (objects int, originals []int) {
		t.Helper()
		out := t.TempDir()
		if _, err := strata("explorer", "--config", filepath.Join(root, "schemas", "crm", "strata.yaml"), "-o", out, "--from", "kube://"); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(out, "crm.html"))
		if err != nil {
			t.Fatal(err)
		}
		_, of, _ := strings.Cut(string(page), `"name":"Person","plural"`)
		_, of, found := strings.Cut(of, `"live":`)
		var live struct {
			Objects   int
			Originals []int
		}
		if !found {
			t.Fatal("the page has no numbers of persons")
		}
		if err := json.NewDecoder(strings.NewReader(of)).Decode(&live); err != nil {
			t.Fatal(err)
		}
		return live.Objects, live.Originals
	}
	objects, before := persons()
	for _, k := range s.kinds {
		if k.Spec.Names.Kind == "Person" {
			p := s.in(t, k, s.namespace(t))
			p.create("v20140404", "explored")
			p.create(k.latest(), "explored-too")
		}
	}
	more, after := persons()
	if more != objects+2 || len(after) != len(before) || after[len(after)-1] != before[len(before)-1]+1 {
		t.Errorf("%d persons of %v are %d of %v after two more were created", objects, before, more, after)
	}
}

// TestConvertByCluster converts manifests by the CRDs of the cluster. The plans of a kind that
// Strata has generated have to be named.
func TestConvertByCluster(t *testing.T) {
	tier.Long(t, "builds and runs strata")
	s := open(t)
	strata, root := commands(t, s)
	file := filepath.Join(t.TempDir(), "party.yaml")
	const before = "apiVersion: crm.example.com/v20180808\nkind: Party\nmetadata: {name: ada} # the first\nspec: {properties: {}}\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"convert", "--from", "kube://", "--to", "v20190909", "-o", "yaml", file}
	if _, err := strata(args...); err == nil || !strings.Contains(err.Error(), "Strata has generated the CRD of Party") {
		t.Errorf("without plans: %v", err)
	}
	got, err := strata(append(args, "--from", filepath.Join(root, "operator", "api", "conversions"))...)
	if want := strings.Replace(before, "v20180808", "v20190909", 1); err != nil || got != want {
		t.Errorf("converted to %v\n%s\nwant\n%s", err, got, want)
	}
}
