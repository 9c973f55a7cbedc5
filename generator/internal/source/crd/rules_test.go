package crd

import (
	"encoding/json"
	"reflect"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/rulecost"
	"github.com/stratakube/strata/generator/internal/rulecost/rulecosttest"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// TestRuleSchema checks the reduced schemas.
func TestRuleSchema(t *testing.T) {
	const rule = `"x-kubernetes-validations":[{"rule":"true"}]`
	for name, tt := range map[string]struct{ schema, want string }{
		"no rules":     {`{"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-validations": []}}}`, ""},
		"of the root":  {`{"type":"object","description":"x",` + rule + `,"properties":{"a":{"type":"string","title":"x","pattern":"x"}}}`, `{"type":"object",` + rule + `,"properties":{"a":{"type":"string","pattern":"x"}}}`},
		"of a member":  {`{"type":"object","required":["a"],"properties":{"a":{"type":"string",` + rule + `},"b":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string",` + rule + `}}}`},
		"of elements":  {`{"type":"array","maxItems":3,"minItems":1,"items":{"type":"string",` + rule + `}}`, `{"type":"array","maxItems":3,"items":{"type":"string",` + rule + `}}`},
		"of values":    {`{"type":"object","maxProperties":3,"additionalProperties":{"type":"string",` + rule + `}}`, `{"type":"object","maxProperties":3,"additionalProperties":{"type":"string",` + rule + `}}`},
		"any values":   {`{"type":"object","properties":{"a":{"type":"string",` + rule + `}},"additionalProperties":true}`, `{"type":"object","properties":{"a":{"type":"string",` + rule + `}},"additionalProperties":true}`},
		"for people":   {`{"type":"string","x-kubernetes-validations":[{"rule":"a","message":"b","reason":"c","fieldPath":"d","messageExpression":"e","optionalOldSelf":true}]}`, `{"type":"string","x-kubernetes-validations":[{"rule":"a","messageExpression":"e","optionalOldSelf":true}]}`},
		"member names": {`{"type":"object",` + rule + `,"properties":{"description":{"type":"string","description":"x"},"title":{"type":"string"}}}`, `{"type":"object",` + rule + `,"properties":{"description":{"type":"string"},"title":{"type":"string"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ruleSchema(parsed(t, tt.schema)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func parsed(t interface{ Fatal(...any) }, text string) *syntax.Value {
	all, err := syntax.Parse("a.json", []byte(text), syntax.Default)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// TestRuleSchemasHaveEqualCosts checks that API servers refuse the same rules of a schema and of
// the reduced one.
func TestRuleSchemasHaveEqualCosts(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		root := v1.JSONSchemaProps{Type: "object", Properties: map[string]v1.JSONSchemaProps{"spec": rulecosttest.Schema(t, 4), "status": rulecosttest.Schema(t, 3)}}
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		want := rulecost.Added(t.Context(), "", string(text))
		if got := rulecost.Added(t.Context(), "", ruleSchema(parsed(t, string(text)))); !reflect.DeepEqual(got, want) {
			t.Fatalf("found %+v, not %+v", got, want)
		}
		refused += len(want)
	})
	if refused == 0 {
		t.Error("no rule was refused")
	}
}
