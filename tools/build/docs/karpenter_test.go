package docs

import (
	"strings"
	"testing"
)

// TestKarpenter checks that the page on Karpenter has the entries and the output of the script that
// tests them.
func TestKarpenter(t *testing.T) {
	page := textOf(t, "../../../docs/guide/howto/follow-karpenter-to-v1.md")
	script := textOf(t, "../../../generator/internal/engine/testdata/declared/karpenter.txtar")
	_, entries, _ := strings.Cut(script, "output: {dir: api, module: example.com/shop/api}\n")
	entries, _, found := strings.Cut(entries, "-- crds/")
	_, explained, _ := strings.Cut(script, "-- explain.want --\n")
	explained, _, alsoFound := strings.Cut(explained, "-- clients/")
	if !found || !alsoFound || entries == "" || explained == "" {
		t.Fatal("the script has no entries or no output")
	}
	for _, text := range []string{entries, explained} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks\n%s", text)
		}
	}
}

// TestClusterAPI checks that the page on Cluster API has the entries of the script that tests them.
func TestClusterAPI(t *testing.T) {
	page := textOf(t, "../../../docs/guide/howto/follow-cluster-api-to-v1beta2.md")
	script := textOf(t, "../../../generator/internal/engine/testdata/declared/clusterapi.txtar")
	_, entries, _ := strings.Cut(script, "output: {dir: api, module: example.com/shop/api}\n")
	entries, _, found := strings.Cut(entries, "-- crds/")
	if !found || entries == "" || !strings.Contains(page, entries) {
		t.Errorf("the page lacks\n%s", entries)
	}
}
