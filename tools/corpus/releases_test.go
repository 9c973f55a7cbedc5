package corpus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// TestReleasesOfVendor generates from two releases of a vendor's CRDs. Their versions differ in
// members, and one of them has kinds that the other lacks. The run must generate all versions of
// both, each from the last release that has it, in any order of versions.
func TestReleasesOfVendor(t *testing.T) {
	l := labtest.WithSchemas(t)
	old := filepath.Join(l.EarlierReleases(), "cluster-api-v1.0.0")
	later := filepath.Join(l.Definitions(), "cluster-api-v1.4.0")
	if _, err := os.Stat(old); err != nil {
		t.Skipf("needs corpora: %v", err)
	}
	for name, roots := range map[string][]string{"releases": {old, later}, "releases-reversed": {later, old}} {
		t.Run(name, func(t *testing.T) {
			p := project(t, name, corpus.Project{Releases: roots, Include: []string{"**/*.yaml"}})
			generate(t, p)
			if diff := cmp.Diff(lastReleases(t, roots), releasesOf(t, p)); diff != "" {
				t.Errorf("versions, and the release that each is of (-want +got):\n%s", diff)
			}
			checkReports(t, p)
			change := map[string]string{old: "removed", later: "new"}[roots[0]]
			body, err := os.ReadFile(filepath.Join(p.Output(), "reports", "controlplane-cluster-x-k8s-io", "releases.md"))
			if err != nil || !strings.Contains(string(body), "| "+change+" | `template.spec.replicas` |") {
				t.Errorf("the report on releases lacks a member that only the older release has: %v\n%.2000s", err, body)
			}
		})
	}
}

// lastReleases returns, for each version of each CRD, the folder of the last release that has it.
func lastReleases(t *testing.T, roots []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, root := range roots {
		all, err := corpus.ReadCRDs(root)
		if err != nil {
			t.Fatal(err)
		}
		for name, d := range all {
			for _, v := range d.Spec.Versions {
				out[name+" "+v.Name] = filepath.Base(root)
			}
		}
	}
	return out
}

// releasesOf returns, for each generated version, the folder of the release that it is of.
func releasesOf(t *testing.T, p corpus.Project) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, r := range manifest(t, p.Output()).Resources {
		for step := range strings.SplitSeq(r.Source.File, "/") {
			if strings.HasPrefix(step, "cluster-api-") {
				out[r.Plural+"."+r.Group+" "+r.Version] = step
			}
		}
	}
	return out
}
