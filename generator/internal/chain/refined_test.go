package chain

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
)

// TestUnrefined checks that versions are refused whose models are not refined.
func TestUnrefined(t *testing.T) {
	object := func(properties ...*model.Property) *model.Ref {
		return &model.Ref{Def: &model.Def{Name: "Cart", Type: &model.Object{Properties: properties}}}
	}
	text := &model.Scalar{Kind: model.String}
	for _, c := range []struct {
		reason       string
		spec, status model.Type
		want         string // what the fault names; empty for none
	}{
		{"a spec alone", object(), nil, ""},
		{"a status, too", object(), object(), ""},
		{"no spec", nil, nil, "spec"},
		{"a spec without a definition", &model.Ref{}, nil, "spec"},
		{"a spec that is a text", text, nil, "spec"},
		{"a status that is a text", object(), text, "status"},
		{"a status without a definition", object(), &model.Ref{}, "status"},
		{"a definition that is no object", &model.Ref{Def: &model.Def{Name: "Cart", Type: text}}, nil, "no object"},
		{"a union", object(&model.Property{Name: "either", Type: &model.OneOf{}}), nil, "either"},
		{"a union in a list of a status", object(), object(&model.Property{Name: "either", Type: &model.List{Elem: &model.OneOf{}}}), "either"},
	} {
		got := unrefined(&model.Version{Spec: c.spec, Status: c.status})
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: the fault is %q, want one of %q", c.reason, got, c.want)
		}
	}
}
