package chain

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
)

// TestCircle links two kinds of one group, each with a hub. The storage packages import each other
// in a circle if one kind converts to a later version and the other to an earlier one.
func TestCircle(t *testing.T) {
	const text = `resource A/things
  kind Thing things
  version 2011-01-01
    spec &ThingSpec
    def ThingSpec object
      .id string
  version 2012-01-01
    spec &ThingSpec
    def ThingSpec object
      .id string
  version 2012-06-01-preview
    spec &ThingSpec
    def ThingSpec object
      .id string
  version 2013-01-01
    spec &ThingSpec
    def ThingSpec object
      .id string
resource A/others
  kind Other others
  version 2012-01-01
    spec &OtherSpec
    def OtherSpec object
      .id string
  version 2013-01-01
    spec &OtherSpec
    def OtherSpec object
      .id string
  version 2014-01-01
    spec &OtherSpec
    def OtherSpec object
      .id string
resource A/lates
  kind Late lates
  version 2014-01-01
    spec &LateSpec
    def LateSpec object
      .id string
  version 2015-01-01
    spec &LateSpec
    def LateSpec object
      .id string
`
	for _, c := range []struct {
		reason         string
		things, others string // hubs
		stored         string // a version of things without API types
		circle         []string
		chosen         []bool
		beside         map[string][]string // a hub of things, and those of lates, others and things
	}{
		{"nobody chose a hub", "", "", "", nil, []bool{false, false, false}, nil},
		{"the last versions are chosen", "2013-01-01", "2014-01-01", "", nil, []bool{false, false, false}, nil},
		{"things lead back to 2012, and others from there", "2012-01-01", "", "", []string{"v20120101", "v20130101"}, []bool{false, false, true},
			map[string][]string{
				"2012-01-01":         {"v20140101", "v20120101", "v20120101"},
				"2011-01-01":         {"v20140101", "v20120101", "v20110101"},
				"2012-06-01-preview": {"v20140101", "v20120101", "v20120101"},
				"2013-01-01":         {"v20140101", "v20130101", "v20130101"},
			}},
		{"2012 has no API types", "2013-01-01", "", "2012-01-01", nil, []bool{false, false, false},
			map[string][]string{"2012-01-01": {"v20140101", "v20120101", "v20110101"}}},
		{"both lead back", "2012-01-01", "2012-01-01", "", nil, []bool{false, true, true}, nil},
	} {
		hubs := map[string]string{"A/things": c.things, "A/others": c.others}
		linked, problems := Link(context.Background(), models(t, text), Options{
			Hub: func(r *model.Resource) string { return hubs[r.Type] },
			Prune: func(resource, version string) Pruning {
				if resource == "A/things" && version == c.stored {
					return Stored
				}
				return Whole
			},
		})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		g := linked.Groups[0]
		var circle []string
		for _, lead := range g.Circle() {
			circle = append(circle, lead.From.Label)
		}
		if slices.Sort(circle); !slices.Equal(circle, c.circle) {
			t.Errorf("%s: the circle is %q, want %q", c.reason, circle, c.circle)
		}
		var chosen []bool
		for _, r := range g.Resources {
			chosen = append(chosen, r.IsChosen())
		}
		if !slices.Equal(chosen, c.chosen) {
			t.Errorf("%s: hubs are chosen: %v, want %v", c.reason, chosen, c.chosen)
		}
		for hub, want := range c.beside {
			var labels []string
			for _, v := range g.HubsBeside(g.Resources[2].version(hub)) {
				labels = append(labels, v.Label)
			}
			if !slices.Equal(labels, want) {
				t.Errorf("%s: beside %s, hubs are %s, want %s", c.reason, hub, strings.Join(labels, " "), strings.Join(want, " "))
			}
		}
	}
}
