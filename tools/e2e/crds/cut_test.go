package crds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/tools/e2e/crds"
)

func TestCut(t *testing.T) {
	text, open := v1.JSONSchemaProps{Type: "string"}, true
	object := func(properties map[string]v1.JSONSchemaProps) v1.JSONSchemaProps {
		return v1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	s := object(map[string]v1.JSONSchemaProps{
		"text":  text,
		"count": {Type: "integer"},
		"list":  {Type: "array", Items: &v1.JSONSchemaPropsOrArray{Schema: new(object(map[string]v1.JSONSchemaProps{"a": text}))}},
		"map":   {Type: "object", AdditionalProperties: &v1.JSONSchemaPropsOrBool{Schema: &text}},
		"open":  {Type: "object", XPreserveUnknownFields: &open},
	})
	got := crds.Cut(map[string]any{
		"text": "a", "count": "not a number", "unknown": 1,
		"list": []any{map[string]any{"a": "b", "c": "d"}},
		"map":  map[string]any{"any": "e"},
		"open": map[string]any{"f": []any{int64(1)}},
	}, s)
	want := map[string]any{
		"text": "a",
		"list": []any{map[string]any{"a": "b"}},
		"map":  map[string]any{"any": "e"},
		"open": map[string]any{"f": []any{int64(1)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
