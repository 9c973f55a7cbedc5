package engine_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/progress"
)

// TestInputs checks that the digest of a run's inputs changes with each file that the run reads,
// and with no file that it writes.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	const config = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources: [{arm: {root: schemas}}]
output: {dir: api, module: example.com/shop/api}
groups: {suffix: example.com}
`
	const schema = `{
  "resourceDefinitions": {
    "orders": {"properties": {
      "type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2020-01-01"]},
      "properties": {"$ref": "#/definitions/OrderProperties"}}}},
  "definitions": {"OrderProperties": {"properties": {"size": {"type": "string"}}}}
}
`
	write(t, dir, "strata.yaml", config)
	write(t, dir, "schemas/2020-01-01/Shop.json", schema)
	request := func() engine.Request {
		return engine.Request{
			Config: filepath.Join(dir, "strata.yaml"), Messages: new(diag.List), Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false),
		}
	}
	inputs := func() output.Digest {
		t.Helper()
		digest, err := engine.Engine{}.Inputs(t.Context(), request())
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	before := inputs()
	if _, err := (engine.Engine{}).Generate(t.Context(), engine.GenerateRequest{Request: request()}); err != nil {
		t.Fatal(err)
	}
	if inputs() != before {
		t.Error("generated files are inputs")
	}
	last := before
	for _, step := range []struct {
		reason string
		do     func() error
	}{
		{"the configuration changes", func() error { write(t, dir, "strata.yaml", config+"check: {strict: true}\n"); return nil }},
		{"a schema is new", func() error { write(t, dir, "schemas/2021-01-01/Shop.json", schema); return nil }},
		{"a schema changes", func() error { write(t, dir, "schemas/2021-01-01/Shop.json", schema+"\n"); return nil }},
		{"a schema has gone", func() error { return os.Remove(filepath.Join(dir, "schemas/2021-01-01/Shop.json")) }},
		{"a hand-written file is new", func() error {
			write(t, dir, "api/contoso-shop/v20200101/order_custom.go", "package v20200101\n")
			return nil
		}},
		{"the configuration is broken", func() error { write(t, dir, "strata.yaml", "kind: {\n"); return nil }},
		{"the configuration is broken otherwise", func() error { write(t, dir, "strata.yaml", "kind: [\n"); return nil }},
		{"the configuration has gone", func() error { return os.Remove(filepath.Join(dir, "strata.yaml")) }},
		{"the configuration is back", func() error { write(t, dir, "strata.yaml", config); return nil }},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		now := inputs()
		if now == last {
			t.Errorf("%s, and the digest is the same", step.reason)
		}
		if again := inputs(); again != now {
			t.Errorf("%s, and two digests differ", step.reason)
		}
		last = now
	}
}
