package rulecost_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/rulecost"
	"github.com/stratakube/strata/generator/internal/rulecost/rulecosttest"
)

// TestVerdictsAreThoseOfAPIServers draws schemas, and compares what is refused of each rule with
// the answers of the validation in API servers.
func TestVerdictsAreThoseOfAPIServers(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		root := v1.JSONSchemaProps{Type: "object", Properties: map[string]v1.JSONSchemaProps{"spec": rulecosttest.Schema(t, 4), "status": rulecosttest.Schema(t, 3)}}
		want := refusals(t, root)
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range rulecost.Added(t.Context(), "", string(text)) {
			kind := []string{"invalid", "costly", "total"}[f.Kind]
			got = append(got, strings.TrimSpace(kind+" "+f.Path.String()))
			seen[kind]++
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("found %q, and an API server refuses %q:\n%s", got, want, text)
		}
		if again := rulecost.Added(t.Context(), string(text), string(text)); len(again) > 0 {
			t.Fatalf("a schema has faults that it did not have before: %v", again)
		}
	})
	for _, kind := range []string{"invalid", "costly", "total"} {
		if seen[kind] == 0 {
			t.Errorf("no schema was refused as %s", kind)
		}
	}
}

var (
	propertyStep = regexp.MustCompile(`\.properties\[([^]]*)\]`)
	ruleField    = regexp.MustCompile(`openAPIV3Schema(.*)\.x-kubernetes-validations\[`)
)

// refusals returns what an API server refuses of the rules of a schema, with paths, sorted.
func refusals(t *rapid.T, root v1.JSONSchemaProps) (out []string) {
	crd := v1.CustomResourceDefinition{}
	crd.Name = "widgets.shop.example.com"
	crd.Spec = v1.CustomResourceDefinitionSpec{
		Group: "shop.example.com", Scope: v1.NamespaceScoped, Names: v1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
		Versions: []v1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: &root}}},
	}
	v1.SetDefaults_CustomResourceDefinition(&crd)
	v1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	crd.Status.StoredVersions = []string{"v1"}
	var internal apiextensions.CustomResourceDefinition
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&crd, &internal, nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range validation.ValidateCustomResourceDefinition(t.Context(), &internal) {
		match := ruleField.FindStringSubmatch(e.Field)
		switch {
		case match == nil && strings.Contains(e.Detail, "estimated rule cost total"):
			out = append(out, "total")
			continue
		case match == nil:
			t.Fatalf("the schema is not valid: %v", e)
		case strings.Contains(e.Detail, "contributed to estimated rule cost total"):
			continue
		}
		path := propertyStep.ReplaceAllString(match[1], ".$1")
		path = strings.NewReplacer(".items", "[]", ".additionalProperties", ".*").Replace(path)
		kind := "invalid"
		if e.Type == field.ErrorTypeForbidden {
			kind = "costly"
		}
		out = append(out, fmt.Sprintf("%s %s", kind, strings.TrimPrefix(path, ".")))
	}
	slices.Sort(out)
	return out
}
