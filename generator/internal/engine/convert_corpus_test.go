package engine_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/conversion"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// TestConvertCorpus converts objects that fill the schemas of published CRDs. In the version that
// they have, no byte changes. In every other version, either the object is one of that version and
// comes back equal, or the command names what the version cannot express.
func TestConvertCorpus(t *testing.T) {
	long(t)
	folders, err := filepath.Glob(filepath.Join(filepath.Dir(corpus(t)), "crds", "*"))
	if err != nil || len(folders) < 4 {
		t.Fatalf("found %d folders of CRDs, %v", len(folders), err)
	}
	var converted, named int
	for _, folder := range folders {
		dir, later := t.TempDir(), map[string][]*conversion.Result{} // by the version they had
		versions := map[string]bool{}
		for _, s := range samplesOf(t, folder) {
			for _, from := range s.versions {
				versions[from] = true
				writeText(t, filepath.Join(dir, s.kind+"."+from+".yaml"), s.texts[from])
			}
		}
		for to := range versions {
			for _, r := range convertAll(t, folder, dir, to, true) {
				switch o := r.Objects[0]; {
				case r.Failed(), o.From == to && r.After != r.Text, o.To != to && r.After != r.Text:
					t.Errorf("%s to %s: %v, and is\n%s", r.Name, to, r.Messages, r.After)
				case o.From == to || o.To != to: // the kind lacks the version
				case len(r.Messages) > 0:
					named++
				default:
					converted++
					later[o.From] = append(later[o.From], r)
				}
			}
		}
		for from, all := range later {
			dir := t.TempDir()
			for i, there := range all {
				writeText(t, filepath.Join(dir, fmt.Sprintf("%04d.yaml", i)), there.After)
			}
			for i, back := range convertAll(t, folder, dir, from, false) {
				if back.Failed() || normal(t, back.Objects[0].After) != normal(t, all[i].Objects[0].Before) {
					t.Errorf("%s comes back as\n%s\nof\n%s\n%v", all[i].Name, back.After, all[i].Text, back.Messages)
				}
			}
		}
	}
	if converted < 10 || named < 10 {
		t.Errorf("%d conversions lose nothing, %d do", converted, named)
	}
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// normal returns JSON with sorted members.
func normal(t *testing.T, text string) string {
	t.Helper()
	out, err := kubeyaml.FromJSON(t.Context(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// convertAll converts the files of a folder by the CRDs of another one.
func convertAll(t *testing.T, crds, folder, to string, keep bool) []*conversion.Result {
	t.Helper()
	result, err := engine.Engine{}.Convert(t.Context(), engine.ConvertRequest{
		Request: engine.Request{Messages: new(diag.List), Sources: diag.NewSources(nil), Progress: progress.New(io.Discard, false), Lenient: true},
		Paths:   []string{folder}, From: []string{crds}, Options: conversion.Options{To: to, Keep: keep},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Files
}

// samples are an object of each version of a kind, as YAML.
type samples struct {
	kind     string
	versions []string
	texts    map[string]string
}

// samplesOf returns objects of the CRDs in a folder that have several versions.
func samplesOf(t *testing.T, folder string) []samples {
	t.Helper()
	var out []samples
	err := filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".yaml" {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		docs, err := syntax.Parse(name, body, syntax.Default)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if s, ok := samplesOfCRD(t.Context(), doc); ok {
				out = append(out, s)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func samplesOfCRD(ctx context.Context, doc *syntax.Value) (samples, bool) {
	spec := doc.Member("spec")
	s := samples{kind: spec.Member("names").Member("kind").Text(), texts: map[string]string{}}
	for _, v := range spec.Member("versions").All() {
		name := v.Member("name").Text()
		schema := v.Member("schema").Member("openAPIV3Schema").Member("properties").Member("spec")
		if schema == nil {
			continue
		}
		object := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"sample","labels":{"a":"b"}},"spec":%s}`,
			spec.Member("group").Text()+"/"+name, s.kind, filled(schema, 0))
		text, err := kubeyaml.FromJSON(ctx, []byte(object))
		if err != nil {
			return s, false
		}
		s.versions = append(s.versions, name)
		s.texts[name] = "# A sample.\n" + strings.ReplaceAll(string(text), "spec:\n", "spec: # of the sample\n\n")
	}
	return s, len(s.versions) > 1
}

// filled returns a value that has each property of a schema.
func filled(schema *syntax.Value, depth int) string {
	if values := schema.Member("enum").All(); len(values) > 0 {
		return values[0].JSON()
	}
	if schema.Member("x-kubernetes-int-or-string").IsTrue() {
		return "1"
	}
	switch schema.Member("type").Text() {
	case "object":
		var members []string
		for _, p := range schema.Member("properties").All() {
			if depth < 12 {
				members = append(members, strconv.Quote(p.Name())+":"+filled(p, depth+1))
			}
		}
		if more := schema.Member("additionalProperties"); more.Kind() == syntax.Object && len(members) == 0 {
			members = append(members, `"key":`+filled(more, depth+1))
		}
		return "{" + strings.Join(members, ",") + "}"
	case "array":
		return "[" + filled(schema.Member("items"), depth+1) + "]"
	case "integer":
		return "1"
	case "number":
		return "1.5"
	case "boolean":
		return "true"
	case "string":
		if schema.Member("format").Text() == "date-time" {
			return `"2020-01-01T00:00:00Z"`
		}
		return `"a text"`
	}
	return "{}"
}
