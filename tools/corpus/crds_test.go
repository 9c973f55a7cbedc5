package corpus_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

var update = flag.Bool("update", false, "write the goldens")

// reasons are the allowed differences between a generated CRD and its source. Any other
// difference is an error.
var reasons = []struct {
	path   *regexp.Regexp
	change string // new, gone or other
	reason string
}{
	{regexp.MustCompile(`^spec\.conversion$`), "new", "objects are converted by the webhook"},
	{regexp.MustCompile(`^spec\.versions\.v\w+storage$`), "new", "the hub is what the cluster stores"},
	{regexp.MustCompile(`^spec\.versions\.\w+\.storage$`), "other", "the hub is stored in place of an API version"},
	{regexp.MustCompile(`^spec\.versions\.\w+\.schema\.openAPIV3Schema\.x-kubernetes-validations$`), "new", "who writes a version must keep what it cannot show"},
	{regexp.MustCompile(`^spec\.versions\.\w+\.schema\.openAPIV3Schema\.x-kubernetes-validations\.\d+$`), "new", "who writes a version must keep what it cannot show"},
	{regexp.MustCompile(`\.openAPIV3Schema\.properties\.status\.properties\.propertyBag$`), "new", "the status keeps what the version cannot show"},
	{regexp.MustCompile(`\.openAPIV3Schema\.properties\.status$`), "new", "other versions have a status, or it keeps what the version cannot show"},
	{regexp.MustCompile(`\.openAPIV3Schema\.properties\.status\.required$`), "gone", "a status may hold nothing but what the version cannot show"},
	{regexp.MustCompile(`\.openAPIV3Schema\.properties\.status\.x-kubernetes-validations$`), "new", "a status may hold nothing but what the version cannot show"},
	{regexp.MustCompile(`^spec\.versions\.\w+\.subresources$`), "gone", "no subresources are none"},
}

func reasonOf(d corpus.Difference) string {
	change := "other"
	switch {
	case d.Was == "":
		change = "new"
	case d.Is == "":
		change = "gone"
	}
	for _, r := range reasons {
		if r.change == change && r.path.MatchString(d.Path) {
			return r.reason
		}
	}
	return ""
}

// TestCRDsOfVendors generates from the CRDs of every vendor. All their versions must be
// generated, and an API server must accept the generated CRDs. Each may differ from its source
// only for an allowed reason, as often as the golden file has.
func TestCRDsOfVendors(t *testing.T) {
	for _, v := range corpus.Vendors {
		t.Run(v.Folder, func(t *testing.T) {
			p := project(t, v.Folder, v.Project(labtest.WithSchemas(t).Corpora))
			generate(t, p)
			checkCRDs(t, v, p)
			checkReports(t, p)
		})
	}
}

// TestCRDsOfExample checks that an API server takes the worked example as its author would have
// defined it.
func TestCRDsOfExample(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(labtest.Lab(t).Workspace.Root, "schemas", "crm-crd", "*.yaml"))
	if err != nil || len(files) != 3 {
		t.Fatalf("the definitions are %q (%v)", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := new(v1.CustomResourceDefinition)
		if err := yaml.UnmarshalStrict(text, d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		validate(t, d)
	}
}

func checkCRDs(t *testing.T, v corpus.Vendor, p corpus.Project) {
	given, err := v.Read(labtest.WithSchemas(t).Corpora)
	if err != nil {
		t.Fatal(err)
	}
	made, err := corpus.ReadDefinitions(p.Output())
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, d := range made {
		was := given[d.Name]
		if was == nil {
			t.Errorf("%s is of nothing", d.Name)
			continue
		}
		delete(given, d.Name)
		validate(t, d)
		found, err := corpus.Differences(was, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			t.Log(f)
			reason := reasonOf(f)
			if reason == "" {
				t.Errorf("without a reason: %v", f)
			}
			counts[reason]++
		}
	}
	for name := range given {
		t.Errorf("%s is not generated", name)
	}
	checkCounts(t, filepath.Join("testdata", "crds", v.Folder+".txt"), counts)
}

// checkReports checks that the reports on CRDs know a reason for every difference.
func checkReports(t *testing.T, p corpus.Project) {
	reports, err := filepath.Glob(filepath.Join(p.Output(), "reports", "*", "crd-differences.md"))
	if err != nil || len(reports) == 0 {
		t.Fatalf("no reports: %v", err)
	}
	for _, report := range reports {
		body, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body), "no reason is known") {
			t.Errorf("%s has a difference without a reason:\n%.5000s", report, body)
		}
	}
}

func checkCounts(t *testing.T, file string, counts map[string]int) {
	var text strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&text, "%4d %s\n", counts[reason], reason)
	}
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("how often it differs, and why (-want +got):\n%s", diff)
	}
}

// TestGeneratedTestsOfCRDs compiles, vets and tests the code that is generated from the CRDs of
// one vendor, or of all.
func TestGeneratedTestsOfCRDs(t *testing.T) {
	tier.Long(t, "compiles the code of a vendor")
	for _, v := range corpus.Vendors {
		if !all && v.Folder != "gateway-api-v0.8.1" {
			continue
		}
		t.Run(v.Folder, func(t *testing.T) {
			l := labtest.WithSchemas(t)
			m, unlock, err := corpus.OpenModule(l.Workspace, v.Folder, v.Project(l.Corpora))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(unlock)
			if _, err := l.Generate(context.Background(), m.Project); err != nil {
				t.Fatal(err)
			}
			checkFormat(t, m.Output())
			goes(t, m, nil, "vet", "./api/...")
			checkGeneratedTests(t, m, fiveCases)
		})
	}
}
