package sarif_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/sarif"
)

func TestEncode(t *testing.T) {
	rules := []sarif.Rule{{ID: "odd", Text: "Something is odd."}}
	tests := []struct {
		reason string
		result sarif.Result
		want   string // of the result, without spaces
	}{
		{
			"a place has a line and a column",
			sarif.Result{Rule: "odd", Level: sarif.Error, Text: "a <b>", File: "a b/c#d.json", Line: 3, Column: 5},
			`{"ruleId":"odd","level":"error","message":{"text":"a <b>"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a%20b/c%23d.json"},"region":{"startLine":3,"startColumn":5}}}]}`,
		},
		{
			"a file as a whole has no region",
			sarif.Result{Rule: "odd", Level: sarif.Note, Text: "x", File: "c.json"},
			`{"ruleId":"odd","level":"note","message":{"text":"x"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"c.json"}}}]}`,
		},
		{
			"what is nowhere has no location",
			sarif.Result{Rule: "odd", Level: sarif.Warning, Text: "x"},
			`{"ruleId":"odd","level":"warning","message":{"text":"x"}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			body, err := sarif.Encode(rules, []sarif.Result{tt.result})
			if err != nil {
				t.Fatal(err)
			}
			var log struct {
				Version string
				Runs    []struct{ Results []json.RawMessage }
			}
			if err := json.Unmarshal(body, &log); err != nil {
				t.Fatal(err)
			}
			if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
				t.Fatalf("not one run with one result: %s", body)
			}
			if diff := cmp.Diff(tt.want, compact(string(log.Runs[0].Results[0]))); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// compact joins indented lines.
func compact(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Replace(strings.TrimSpace(line), `": `, `":`, 1))
	}
	return b.String()
}

// TestNoResults checks that a log without results has an empty list, which is not null.
func TestNoResults(t *testing.T) {
	body, err := sarif.Encode(nil, nil)
	if err != nil || !strings.Contains(string(body), `"results": []`) {
		t.Errorf("%s, %v", body, err)
	}
	if strings.Contains(string(body), "null") {
		t.Errorf("null is no list: %s", body)
	}
}
