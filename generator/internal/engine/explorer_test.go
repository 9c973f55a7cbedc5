package engine_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

// explore writes the pages of a configuration, and returns their sizes by name.
func explore(t *testing.T, config string) map[string]int64 {
	t.Helper()
	dir := t.TempDir()
	err := engine.Engine{}.Explorer(t.Context(), engine.ExplorerRequest{Dir: dir, Out: io.Discard, Request: engine.Request{
		Config: config, Messages: new(diag.List), Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false),
	}})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		sizes[e.Name()] = info.Size()
	}
	return sizes
}

// TestSizeOfPages bounds the page of the worked example.
func TestSizeOfPages(t *testing.T) {
	sizes := explore(t, filepath.Join("..", "..", "..", "schemas", "crm", "strata.yaml"))
	if size := sizes["crm.html"]; size == 0 || size > 1<<20 {
		t.Errorf("crm.html has %d bytes, of 1 MiB", size)
	}
}

// TestSizeOfPagesOfCorpora bounds the pages of published schemas.
func TestSizeOfPagesOfCorpora(t *testing.T) {
	long(t)
	corpora := filepath.Dir(corpus(t))
	for _, source := range []string{
		fmt.Sprintf("bicep: {root: %q}", filepath.Join(corpora, "bicep-network")),
		fmt.Sprintf("arm: {root: %q}", filepath.Join(corpora, "arm", "schemas")),
	} {
		config := t.TempDir()
		write(t, config, "strata.yaml", "apiVersion: strata.dev/v1alpha1\nkind: Generation\nsources: [{"+source+
			"}]\noutput: {dir: api, module: example.com/demo/api}\ngroups: {suffix: example.com}\n")
		for name, size := range explore(t, filepath.Join(config, "strata.yaml")) {
			if size > 5<<20 {
				t.Errorf("%s: %s has %d bytes, of 5 MiB", source, name, size)
			}
		}
	}
}
