package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrintBudget(t *testing.T) {
	small := func(name string) Definition {
		return Definition{Name: name, Bytes: 10, Limit: 100, Descriptions: "whole", Versions: []DefinitionVersion{{"v1", true, 6}, {"v1storage", true, 4}}}
	}
	large := func(name string) Definition {
		return Definition{Name: name, Bytes: 90, Limit: 100, Near: true, Descriptions: "first sentences", Versions: []DefinitionVersion{{"v1", true, 80}}}
	}
	tests := []struct {
		reason      string
		definitions []Definition
		want        string
	}{
		{"nothing is said of nothing", nil, ""},
		{"the three largest are shown, whatever their size", []Definition{small("a"), small("b"), small("c"), small("d")}, `
CRD  BYTES  OF LIMIT  VERSIONS            DESCRIPTIONS
a    10     10 %      2, at most 6 in v1  whole
b    10     10 %      2, at most 6 in v1  whole
c    10     10 %      2, at most 6 in v1  whole
`},
		{"all that are near the limit are, with advice", []Definition{large("a"), large("b"), large("c"), large("d"), small("e")}, `
CRD  BYTES  OF LIMIT  VERSIONS             DESCRIPTIONS
a    90     90 %      1, at most 80 in v1  first sentences
b    90     90 %      1, at most 80 in v1  first sentences
c    90     90 %      1, at most 80 in v1  first sentences
d    90     90 %      1, at most 80 in v1  first sentences
near the limit: 4 of 5; serve fewer versions with versions.serve, or let some leave with versions.unserve
`},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var out strings.Builder
			printBudget(&out, tt.definitions)
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
