package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/engine"
)

func TestPrintBudget(t *testing.T) {
	small := func(name string) engine.CRDSize {
		return engine.CRDSize{Name: name, Bytes: 10, Limit: 100, Descriptions: "whole", Versions: []engine.CRDVersionSize{{Name: "v1", Served: true, Bytes: 6}, {Name: "v1storage", Served: true, Bytes: 4}}}
	}
	large := func(name string) engine.CRDSize {
		return engine.CRDSize{Name: name, Bytes: 90, Limit: 100, Near: true, Descriptions: "first sentences", Versions: []engine.CRDVersionSize{{Name: "v1", Served: true, Bytes: 80}}}
	}
	stated := func(name string) engine.CRDSize {
		d := large(name)
		d.ServedBySource = true
		return d
	}
	tests := []struct {
		reason      string
		definitions []engine.CRDSize
		want        string
	}{
		{"nothing is said of nothing", nil, ""},
		{"the three largest are shown, whatever their size", []engine.CRDSize{small("a"), small("b"), small("c"), small("d")}, `
CRD  BYTES  OF LIMIT  VERSIONS            DESCRIPTIONS
a    10     10 %      2, at most 6 in v1  whole
b    10     10 %      2, at most 6 in v1  whole
c    10     10 %      2, at most 6 in v1  whole
`},
		{"all that are near the limit are, with advice", []engine.CRDSize{large("a"), large("b"), large("c"), large("d"), small("e")}, `
CRD  BYTES  OF LIMIT  VERSIONS             DESCRIPTIONS
a    90     90 %      1, at most 80 in v1  first sentences
b    90     90 %      1, at most 80 in v1  first sentences
c    90     90 %      1, at most 80 in v1  first sentences
d    90     90 %      1, at most 80 in v1  first sentences
near the limit: 4 of 5; serve fewer versions with versions.serve, or stop serving some with versions.unserve
`},
		{"advice that a source would ignore is not given", []engine.CRDSize{large("a"), stated("b")}, `
CRD  BYTES  OF LIMIT  VERSIONS             DESCRIPTIONS
a    90     90 %      1, at most 80 in v1  first sentences
b    90     90 %      1, at most 80 in v1  first sentences
near the limit: 1 of 2; serve fewer versions with versions.serve, or stop serving some with versions.unserve
near the limit: 1 of 2; their sources state what is served: prune versions in which no object is stored, with versions.prune
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
