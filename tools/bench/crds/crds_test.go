package crds_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/tools/bench/crds"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

func definition(i int) *v1.CustomResourceDefinition {
	d := new(v1.CustomResourceDefinition)
	d.Name = fmt.Sprintf("things-%d", i)
	d.Spec.Group = strings.Repeat("g", i)
	return d
}

// TestSpread chooses CRDs from the smallest to the largest.
func TestSpread(t *testing.T) {
	var all []*v1.CustomResourceDefinition
	for _, i := range []int{30, 10, 50, 20, 40} {
		all = append(all, definition(i))
	}
	for count, want := range map[int]string{
		2: "things-10 things-50",
		3: "things-10 things-30 things-50",
		5: "things-10 things-20 things-30 things-40 things-50",
		9: "things-10 things-20 things-30 things-40 things-50",
	} {
		var got []string
		for _, d := range crds.Spread(all, count) {
			got = append(got, d.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d of them are %v, want %s", count, got, want)
		}
	}
}

// TestRead reads the CRDs of a folder, among other objects, and each name once.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: %s, resourceVersion: \"7\"}\n"
	for file, text := range map[string]string{
		"a.yaml":     "kind: ConfigMap\nmetadata: {name: c}\n---\n" + fmt.Sprintf(crd, "one") + "---\n" + fmt.Sprintf(crd, "two"),
		"b/one.yaml": fmt.Sprintf(crd, "one"),
		"README.md":  "no CRD",
	} {
		name := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := crds.Read(dir)
	if err != nil || len(all) != 2 || all[0].Name != "one" || all[1].Name != "two" || all[0].ResourceVersion != "" {
		t.Errorf("%v, %v", all, err)
	}
}

// TestMeasure measures the CRDs of the worked example.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	tier.Long(t, "starts an API server to measure it")
	definitions, err := crds.Read("../../../operator/api/crds")
	if err != nil {
		t.Fatal(err)
	}
	f, err := crds.Measure(t.Context(), crds.Set{Name: "worked example", Definitions: definitions}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", f)
	if f.CRDs < 3 || f.Served < f.CRDs || f.Heap <= 0 || f.CPU <= 0 || f.Published <= 0 || f.Explain <= 0 || f.Apply <= 0 {
		t.Errorf("figures are missing: %+v", f)
	}
}
