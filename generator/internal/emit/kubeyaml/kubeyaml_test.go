package kubeyaml_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
)

func TestMarshal(t *testing.T) {
	tests := []struct {
		reason string
		value  any
		want   string
	}{
		{"keys are sorted, and objects below objects indented", map[string]any{"b": map[string]any{"c": 1}, "a": true}, "a: true\nb:\n  c: 1\n"},
		{"lists stand as deep as their key", map[string]any{"a": []any{"x", map[string]any{"b": 1, "c": []int{2}}}}, "a:\n- x\n- b: 1\n  c:\n  - 2\n"},
		{"a list in a list", []any{[]any{1, 2}, []any{}}, "- - 1\n  - 2\n- []\n"},
		{"what is empty stands on the line", map[string]any{"a": map[string]any{}, "b": []any{}, "c": ""}, "a: {}\nb: []\nc: \"\"\n"},
		{"what would be something else is quoted", []any{"yes", "1", "null", "a: b", "a #b", "- a", "v1", "{{ .Values.x }}"}, "- \"yes\"\n- \"1\"\n- \"null\"\n- \"a: b\"\n- \"a #b\"\n- \"- a\"\n- v1\n- \"{{ .Values.x }}\"\n"},
		{"lines are a block", map[string]any{"a": "one: 1\n  two\n\nthree", "b": "one\ntwo\n"}, "a: |-\n  one: 1\n    two\n\n  three\nb: |\n  one\n  two\n"},
		{"nothing is escaped for HTML", "a <b> & c", "a <b> & c\n"},
		{"whole numbers stay whole", json.RawMessage(`9223372036854775807`), "9223372036854775807\n"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got, err := kubeyaml.Marshal(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadsBack prints random values; the library that Kubernetes reads with
// must read the same.
func TestReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{"root": drawValue(t, 4)}
		body, err := kubeyaml.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := yaml.UnmarshalStrict(body, &got); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		if diff := cmp.Diff(value, got); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, body)
		}
	})
}

func drawValue(t *rapid.T, depth int) any {
	text := rapid.OneOf(
		rapid.StringMatching(`[ -~\n]{0,30}`), rapid.String(),
		rapid.SampledFrom([]string{"yes", "Null", "~", ".nan", "0x1", "1e3", "2014-04-04", "a\n b\n", "\n", " a\nb", "a\n\n", "=", "<<", "é\nü", "a:", "?", "a\tb\nc"}),
	)
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return rapid.Bool().Draw(t, "bool")
	case 1:
		return float64(rapid.IntRange(-1000, 1000).Draw(t, "number"))
	case 2:
		if depth > 0 {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return drawValue(t, depth-1) }), 0, 3).Draw(t, "list")
		}
	case 3, 4:
		if depth > 0 {
			return rapid.MapOfN(text, rapid.Custom(func(t *rapid.T) any { return drawValue(t, depth-1) }), 0, 3).Draw(t, "object")
		}
	}
	return text.Draw(t, "text")
}
