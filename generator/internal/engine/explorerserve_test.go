package engine_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

// TestExplorerServes serves pages until its context ends, and writes none.
func TestExplorerServes(t *testing.T) {
	dir := t.TempDir()
	version, _, _ := strings.Cut(crdOfCluster, "  - name: v1storage")
	config := filepath.Join(dir, "strata.yaml")
	if err := os.Mkdir(filepath.Join(dir, "crds"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"crds/crd.yaml": strings.NewReplacer("propertyBag", "color", "storage: false", "storage: true").Replace(version),
		"strata.yaml":   "apiVersion: strata.dev/v1alpha1\nkind: Generation\nsources: [{crd: {root: crds}}]\noutput: {dir: api, module: example.com/shop/api}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	out, in := io.Pipe()
	r := engine.ExplorerRequest{
		Request: engine.Request{Config: config, Messages: new(diag.List), Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false)},
		Dir:     filepath.Join(dir, "pages"), Serve: true, Out: in,
	}
	ended := make(chan error, 1)
	go func() {
		err := engine.Engine{}.Explorer(ctx, r)
		ended <- err
		_ = in.CloseWithError(err)
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err, r.Messages.Messages())
	}
	url := regexp.MustCompile(`^serving (http://127\.0\.0\.1:\d+/) until an interrupt\n$`).FindSubmatch(line[:n])
	if url == nil {
		t.Fatalf("it prints %q", line[:n])
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, string(url[1]), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if _ = response.Body.Close(); err != nil || !strings.Contains(string(body), "shop.example.com") {
		t.Errorf("the index is %q, %v", body, err)
	}
	end()
	if err := <-ended; err != nil {
		t.Errorf("its end: %v", err)
	}
	if _, err := os.Stat(r.Dir); err == nil {
		t.Error("it has written pages")
	}
}
