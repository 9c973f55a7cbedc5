package served

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/model"
)

func resource(t *testing.T, versions ...string) *chain.Resource {
	t.Helper()
	var text strings.Builder
	text.WriteString("resource Contoso.Shop/orders\n  kind Order orders\n")
	for _, v := range versions {
		fmt.Fprintf(&text, "  version %s\n    spec &S\n    def S object\n      .size int\n", v)
	}
	c, problems := chain.Link(context.Background(), chaintest.Parse(t, text.String()), chain.Options{Suffix: "example.com"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c.Groups[0].Resources[0]
}

func TestPolicy(t *testing.T) {
	tests := []struct {
		reason        string
		policy        Policy
		versions      string
		want, current string // of all versions
	}{
		{"the newest stable ones, and the newest preview after them", Policy{Stable: 2, Preview: 1},
			"2019-01-01 2020-01-01 2020-06-01-preview 2021-01-01 2022-01-01-preview 2023-01-01-preview", "v20200101 v20210101 v20230101preview", "v20200101 v20210101 v20230101preview"},
		{"no preview that is older than the last stable version", Policy{Stable: 1, Preview: 5},
			"2019-01-01-preview 2020-01-01", "v20200101", "v20200101"},
		{"of only previews, the newest of all", Policy{Stable: 2, Preview: 2},
			"2019-01-01-preview 2020-01-01-preview 2021-01-01-preview", "v20200101preview v20210101preview", "v20200101preview v20210101preview"},
		{"always the hub's", Policy{}, "2019-01-01 2020-01-01 2021-01-01-preview", "v20200101", "v20200101"},
		{"of only previews too", Policy{}, "2019-01-01-preview 2020-01-01-preview", "v20200101preview", "v20200101preview"},
		{"all, of which previews with a later stable version are out of date", Policy{All: true},
			"2019-01-01-preview 2020-01-01 2021-01-01-preview", "v20190101preview v20200101 v20210101preview", "v20200101 v20210101preview"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r := resource(t, strings.Fields(tt.versions)...)
			var served, current []string
			for _, v := range tt.policy.Versions(r) {
				served = append(served, v.Label)
			}
			for _, v := range r.Versions {
				if tt.policy.IsCurrent(r, v) {
					current = append(current, v.Label)
				}
			}
			if diff := cmp.Diff(strings.Fields(tt.want), served); diff != "" {
				t.Errorf("served (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(strings.Fields(tt.current), current); diff != "" {
				t.Errorf("current (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStated checks a source that states which versions are served. The policy then picks none,
// and the hub's version is always served.
func TestStated(t *testing.T) {
	r := resource(t, "2019-01-01", "2020-01-01", "2021-01-01", "2022-01-01")
	if IsStated(r) {
		t.Error("the source states what it does not")
	}
	for i, served := range []string{"true", "false", "", "false"} {
		if served != "" {
			r.Versions[i].Model.Facts = append(r.Versions[i].Model.Facts, model.Fact{Name: model.Served, Value: served})
		}
	}
	var got []string
	for _, v := range (Policy{All: true}).Versions(r) {
		got = append(got, v.Label)
	}
	if diff := cmp.Diff([]string{"v20190101", "v20220101"}, got); diff != "" || !IsStated(r) || StatesServed(r.Versions[2]) {
		t.Errorf("served (-want +got):\n%s", diff)
	}
}
