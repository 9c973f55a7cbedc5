package rewrite

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/operator/cluster/ownership"
)

// renaming translates size to width, and width to depth.
func renaming(set *fieldpath.Set, _, _ string) (*ownership.Translation, error) {
	out := &ownership.Translation{Set: fieldpath.NewSet(), Whole: fieldpath.NewSet(), Lost: fieldpath.NewSet(), Stepped: fieldpath.NewSet()}
	for path := range set.All() {
		path = path.Copy()
		if len(path) > 1 {
			if name := map[string]string{"size": "width", "width": "depth"}[*path[1].FieldName]; name != "" {
				path[1] = fieldpath.PathElement{FieldName: &name}
			}
		}
		out.Set.Insert(path)
	}
	return out, nil
}

// TestManifestsOfKubectl translates annotations whose version goes.
func TestManifestsOfKubectl(t *testing.T) {
	for _, test := range []struct {
		reason, text string
		live         map[string]any // the spec in v2
		serves       bool
		old          map[string]any // the spec in v1
		want         string
		inexact      bool
	}{
		{reason: "a renamed field", text: `{"apiVersion":"example.com/v1","kind":"T","metadata":{"name":"a"},"spec":{"size":1}}`, live: map[string]any{"width": int64(2), "depth": int64(3)},
			want: `{"apiVersion":"example.com/v2","kind":"T","metadata":{"name":"a"},"spec":{"width":2}}` + "\n"},
		{reason: "a field that the object no longer has", text: `{"apiVersion":"example.com/v1","spec":{"size":1}}`, live: map[string]any{"depth": int64(3)},
			want: `{"apiVersion":"example.com/v2","spec":{}}` + "\n"},
		{reason: "an empty object, which owns nothing within", text: `{"apiVersion":"example.com/v1","spec":{"labels":{}}}`, live: map[string]any{"labels": map[string]any{"a": "b"}},
			want: `{"apiVersion":"example.com/v2","spec":{"labels":{}}}` + "\n"},
		{reason: "a key of a map", text: `{"apiVersion":"example.com/v1","spec":{"labels":{"a":"x"}}}`, live: map[string]any{"labels": map[string]any{"a": "b", "of": "others"}},
			want: `{"apiVersion":"example.com/v2","spec":{"labels":{"a":"b"}}}` + "\n"},
		{reason: "a version that is served, in which another field has the new name", text: `{"apiVersion":"example.com/v1","spec":{"size":1}}`, live: map[string]any{"width": int64(2), "depth": int64(3)},
			serves: true, old: map[string]any{"size": int64(2), "width": int64(3)}, inexact: true},
		{reason: "a version that is served", text: `{"apiVersion":"example.com/v1","spec":{"size":1}}`, live: map[string]any{"width": int64(2)},
			serves: true, old: map[string]any{"size": int64(2)}, want: `{"apiVersion":"example.com/v2","spec":{"width":2}}` + "\n"},
		{reason: "a version that stays", text: `{"apiVersion":"example.com/v2","spec":{"size":1}}`},
		{reason: "another group", text: `{"apiVersion":"other.com/v1","spec":{"size":1}}`},
		{reason: "no manifest", text: `[`},
		{reason: "no version", text: `{"apiVersion":7}`},
	} {
		o := owners()
		o.Translate = renaming
		o.Serves = func(string) bool { return test.serves }
		o.Live = func(_ context.Context, _ *metav1.PartialObjectMetadata, version string) (map[string]any, error) {
			spec := test.live
			if version == "v1" {
				spec = test.old
			}
			return map[string]any{"metadata": map[string]any{"name": "a"}, "spec": spec}, nil
		}
		m := thing("a")
		m.Annotations = map[string]string{lastApplied: test.text}
		var c changes
		got, err := o.applied(t.Context(), m, &c)
		if err != nil || got != test.want || (c.inexact != "") != test.inexact {
			t.Errorf("%s: %q, want %q; %q, %v", test.reason, got, test.want, c.inexact, err)
		}
	}
}
