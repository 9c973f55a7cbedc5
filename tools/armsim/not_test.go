package armsim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/armsim"
)

// TestConditions puts bodies of a type whose schema excludes some by not: a value, and two members
// together. The schema of another type requires exactly one of two members by oneOf.
func TestConditions(t *testing.T) {
	const schema = `{"id": "https://schema.management.azure.com/schemas/2020-01-01/Acme.Garden.json#", "resourceDefinitions": {"beds": {"type": "object", "properties": {
		"name": {"type": "string"},
		"type": {"enum": ["Acme.Garden/beds"]}, "apiVersion": {"enum": ["2020-01-01"]},
		"properties": {"type": "object",
			"properties": {"name": {"type": "string", "not": {"enum": ["root"]}}, "wet": {"type": "string"}, "dry": {"type": "string"}},
			"not": {"required": ["wet", "dry"]}}}}, "plants": {"type": "object", "properties": {
		"name": {"type": "string"},
		"type": {"enum": ["Acme.Garden/plants"]}, "apiVersion": {"enum": ["2020-01-01"]},
		"properties": {"type": "object", "properties": {"seed": {"type": "string"}, "cutting": {"type": "string"}},
			"oneOf": [{"required": ["seed"]}, {"required": ["cutting"]}]}}}}}`
	folder := filepath.Join(t.TempDir(), "2020-01-01")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "Acme.Garden.json"), []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, armsim.Options{Schemas: []string{filepath.Dir(folder)}})
	const bed = group + "/providers/Acme.Garden/beds/b"
	s.want(201, "", "PUT", bed, "2020-01-01", `{"properties":{"name":"ann","wet":"x"}}`)
	s.want(400, "InvalidRequestContent", "PUT", bed, "2020-01-01", `{"properties":{"name":"root"}}`)
	s.want(400, "InvalidRequestContent", "PUT", bed, "2020-01-01", `{"properties":{"wet":"x","dry":"x"}}`)
	const plant = group + "/providers/Acme.Garden/plants/p"
	s.want(201, "", "PUT", plant, "2020-01-01", `{"properties":{"seed":"x"}}`)
	s.want(200, "", "PUT", plant, "2020-01-01", `{"properties":{"cutting":"x"}}`)
	s.want(400, "InvalidRequestContent", "PUT", plant, "2020-01-01", `{"properties":{}}`)
	s.want(400, "InvalidRequestContent", "PUT", plant, "2020-01-01", `{"properties":{"seed":"x","cutting":"x"}}`)
}
