package engine_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

// TestFormats requires that generated files state the formats that strata version prints.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const schema = `{"resourceDefinitions": {"orders": {"properties": {
		"type": {"enum": ["Contoso.Shop/orders"]}, "apiVersion": {"enum": ["2024-01-01"]},
		"properties": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}}`
	var apiVersion string
	for _, f := range engine.Formats() {
		if f.Name == "strata.yaml" {
			apiVersion = f.Version
		}
	}
	write("strata.yaml", "apiVersion: "+apiVersion+"\nkind: Generation\nsources:\n- arm: {root: schemas}\noutput: {dir: api, module: example.com/demo/api}\ngroups: {suffix: example.com}\n")
	write("schemas/2024-01-01/Contoso.Shop.json", schema)
	if err := generates(t.Context(), engine.Request{
		Config: filepath.Join(dir, "strata.yaml"), Messages: new(diag.List),
		Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false),
	}); err != nil {
		t.Fatal(err)
	}
	states := func(pattern string) func(string) bool {
		files, err := filepath.Glob(filepath.Join(dir, "api", filepath.FromSlash(pattern)))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s is %q (%v)", pattern, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return func(part string) bool { return strings.Contains(string(text), part) }
	}
	for _, f := range engine.Formats() {
		switch f.Name {
		case "strata.yaml": // it was read
		case "ledger":
			if !states("ledger/*/*.txt")(f.Version + "\n") {
				t.Errorf("no ledger states %q", f.Version)
			}
		case "manifest.json":
			if !states("manifest.json")(`"version": ` + f.Version + ",") {
				t.Errorf("the manifest does not state %q", f.Version)
			}
		case "histories":
			if !states("histories/*/*.json")(`"format":` + f.Version) {
				t.Errorf("no history states %q", f.Version)
			}
		case "plan files":
			if !states("conversions/*.json")(`{"format":` + f.Version) {
				t.Errorf("no plan file states %q", f.Version)
			}
		case "evidence of upgrades": // strata cluster writes it, and scripts read it
		default:
			t.Errorf("no file states the format of %s", f.Name)
		}
	}
	if !states("*/v20240101/groupversion*.go")("genruntime." + engine.RuntimeConstant() + "\n") {
		t.Errorf("generated code does not name %s", engine.RuntimeConstant())
	}
}
