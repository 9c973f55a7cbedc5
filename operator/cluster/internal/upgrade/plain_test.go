package upgrade

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
)

// TestPlansWithoutWebhook plans kinds that Strata has not generated: what the API server removes
// is a finding, equal schemas are a note, and a webhook that nobody can try is not checked.
func TestPlansWithoutWebhook(t *testing.T) {
	const one, two = `{"type":"object","description":"a","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}`,
		`{"type":"object","properties":{"spec":{"type":"object","properties":{"b":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}`
	const same = `{"type":"object","properties":{"spec":{"type":"object","description":"b","properties":{"a":{"type":"string"},"b":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}`
	kind := func(hub, strategy, first, second string) *crd.CRD {
		d, err := crd.Parse([]byte(`{"metadata":{"uid":"u"},"spec":{"group":"a.b","names":{"kind":"Note","plural":"notes"},"conversion":{"strategy":"` + strategy + `"},"versions":[
			{"name":"v1","served":true,"storage":` + map[string]string{"v1": "true", "v2": "false"}[hub] + `,"schema":{"openAPIV3Schema":` + first + `}},
			{"name":"v2","served":true,"storage":` + map[string]string{"v1": "false", "v2": "true"}[hub] + `,"schema":{"openAPIV3Schema":` + second + `}}]},"status":{"storedVersions":["v1"]}}`))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, test := range []struct {
		reason        string
		to            *crd.CRD
		value         string
		differs       bool // in v2, as the API server shows it
		want, skipped []string
	}{
		{"a value that the new storage version lacks", kind("v2", "None", one, two), "a", false, []string{"HubChanged v1 spec.a"}, nil},
		{"a value that all versions preserve", kind("v2", "None", one, two), "b", false, nil, nil},
		{"a value that a version lacks which is not stored", kind("v1", "None", one, two), "a", false, []string{"Lost v2 spec.a", "VisibleChanged v2 spec.a"}, nil},
		{"one schema", kind("v2", "None", one, same), "a", false, []string{"Uniform "}, nil},
		{"one schema, and a webhook that does nothing", kind("v2", "Webhook", one, same), "a", false, []string{"Uniform "}, nil},
		{"one schema, and a webhook that changes values", kind("v1", "Webhook", one, same), "a", true, []string{"VisibleChanged v2 spec.a"}, nil},
		{"a webhook", kind("v2", "Webhook", one, two), "a", false, nil, []string{"conversions of notes.a.b"}},
	} {
		object := func(version, value string) *unstructured.Unstructured {
			o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "a.b/" + version, "kind": "Note", "metadata": map[string]any{"name": "n", "uid": "1", "resourceVersion": "1"}}}
			var of any = value
			if test.value == "b" {
				of = map[string]any{"any": value}
			}
			_ = unstructured.SetNestedField(o.Object, of, "spec", test.value)
			return o
		}
		visible := map[bool]string{false: "x", true: "y"}[test.differs]
		installed := &unstructured.Unstructured{}
		from := kind("v1", "None", one, one)
		var text map[string]any
		if err := json.Unmarshal(from.Text, &text); err != nil {
			t.Fatal(err)
		}
		text["apiVersion"], text["kind"] = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
		text["metadata"].(map[string]any)["name"] = "notes.a.b"
		installed.Object = text
		c := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
			{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: "CustomResourceDefinitionList",
			{Group: "a.b", Version: "v1", Resource: "notes"}:                                      "NoteList",
			{Group: "a.b", Version: "v2", Resource: "notes"}:                                      "NoteList",
		}, installed, object("v1", "x"), object("v2", visible))
		p, err := Make(t.Context(), Options{
			Cluster: c, Package: &pack.Package{CRDs: []*crd.CRD{test.to}}, Versions: &converter.Versions{Format: 1},
			Start: func(context.Context) (Converter, func(), error) { panic("no converter") },
		})
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		var got, skipped []string
		for _, f := range p.Kinds[0].Findings {
			line := f.Reason + " " + f.Version
			if f.Path != "" {
				line += " " + f.Path
			}
			got = append(got, line)
			if f.Note != (f.Reason == Uniform) {
				t.Errorf("%s: %+v", test.reason, f)
			}
		}
		for _, u := range p.NotChecked {
			skipped = append(skipped, u.What)
		}
		if !slices.Equal(got, test.want) || !slices.Equal(skipped, test.skipped) || p.Kinds[0].Objects != 1 || len(p.Kinds[0].Originals) > 0 {
			t.Errorf("%s: %q, want %q; not checked %q; %+v", test.reason, got, test.want, skipped, p.Kinds[0])
		}
	}
}
