package crd_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// options returns the options of a run with an empty configuration.
func options() crd.Options {
	path, port := "/convert", int32(443)
	return crd.Options{Limit: crd.Limit, Client: v1.WebhookClientConfig{
		Service: &v1.ServiceReference{Namespace: "strata-system", Name: "strata-webhook", Path: &path, Port: &port},
	}}
}

// sample makes a plan of a case: "model" is refined, "serving" has lines of a
// version and what clusters do with it, "hubs" the labels of former hubs.
func sample(t testing.TB, files golden.Files) *plan.Plan {
	t.Helper()
	resources, err := model.Parse("model", []byte(files["model"]))
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(context.Background(), resources, chain.Options{Suffix: "example.com"})
	for _, p := range problems {
		t.Fatalf("linking: %s", p.Text)
	}
	o := plan.Options{Hubs: map[string][]string{}}
	for _, r := range resources {
		o.Hubs[strings.ToLower(r.Type)] = strings.Fields(files["hubs"])
	}
	if files["serving"] != "" {
		o.Serving = servingOf(files["serving"])
	}
	return plan.Decide(context.Background(), c, o)
}

func servingOf(text string) func(*chain.Resource, *chain.Version) plan.Serving {
	words := map[string]plan.Serving{"unlisted": plan.Unlisted, "unserved": plan.Unserved, "outdated": plan.Outdated, "current": plan.Current}
	by := map[string]plan.Serving{}
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		by[w[0]] = words[w[1]]
	}
	return func(_ *chain.Resource, v *chain.Version) plan.Serving { return by[v.Model.Name] }
}

// only returns the CRD of a case's only kind, which an API server must accept.
func only(t testing.TB, p *plan.Plan, o crd.Options) (crd.File, *v1.CustomResourceDefinition) {
	t.Helper()
	files, err := crd.Files(context.Background(), p, o)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d definitions, %v", len(files), err)
	}
	return files[0], accepted(t, files[0].Body)
}

// accepted reads a CRD as an API server does, and checks that it is valid.
func accepted(t testing.TB, body []byte) *v1.CustomResourceDefinition {
	t.Helper()
	d := new(v1.CustomResourceDefinition)
	if err := yaml.UnmarshalStrict(body, d); err != nil {
		t.Fatal(err)
	}
	given := d.DeepCopy()
	v1.SetDefaults_CustomResourceDefinition(d)
	v1.SetDefaults_CustomResourceDefinitionSpec(&d.Spec)
	var internal apiextensions.CustomResourceDefinition
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(d, &internal, nil); err != nil {
		t.Fatal(err)
	}
	internal.Status.StoredVersions = []string{storage(d)}
	for _, err := range validation.ValidateCustomResourceDefinition(t.Context(), &internal) {
		t.Errorf("an API server refuses it: %v", err)
	}
	return given
}

func storage(d *v1.CustomResourceDefinition) string {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// TestGolden prints the CRD of a case, or the parts of it that "show" names: a version, and
// members from the root, with [] for elements and {} for further members.
func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", "want", func(t *testing.T, files golden.Files) string {
		o := options()
		if files["limit"] != "" {
			if _, err := fmt.Sscan(files["limit"], &o.Limit); err != nil {
				t.Fatal(err)
			}
		}
		f, d := only(t, sample(t, files), o)
		out := string(f.Body)
		if files["show"] != "" {
			out = ""
			for line := range strings.Lines(files["show"]) {
				out += "# " + line + show(t, d, strings.Fields(line))
			}
		}
		if f.Trim != "" {
			out += "# descriptions: " + f.Trim + "\n"
		}
		for _, u := range f.Unguarded {
			out += fmt.Sprintf("# unguarded: %s %s: %s: %s\n", u.Version, u.Path, u.Rule, u.Reason)
		}
		for _, l := range f.LeftOut {
			out += fmt.Sprintf("# left out: %s %s: %s: %s\n", l.Version, l.Path, l.Requirement, l.Reason)
		}
		for _, c := range f.Cut {
			out += fmt.Sprintf("# cut: %s %s: %s\n", c.Version, c.Path, c.Reason)
		}
		return out
	})
}

func show(t *testing.T, d *v1.CustomResourceDefinition, at []string) string {
	t.Helper()
	for _, v := range d.Spec.Versions {
		if v.Name != at[0] {
			continue
		}
		s := v.Schema.OpenAPIV3Schema
		for _, name := range at[1:] {
			s = within(t, s, name)
		}
		body, err := kubeyaml.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	t.Fatalf("no version %s", at[0])
	return ""
}

func within(t *testing.T, s *v1.JSONSchemaProps, name string) *v1.JSONSchemaProps {
	t.Helper()
	switch name {
	case "[]":
		return s.Items.Schema
	case "{}":
		return s.AdditionalProperties.Schema
	}
	inner, ok := s.Properties[name]
	if !ok {
		t.Fatalf("no member %s", name)
	}
	return &inner
}
