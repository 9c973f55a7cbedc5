package removals_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

const things = `
resource A/things
  kind Thing things
  version 2013-03-03
    spec &ThingSpec
    def ThingSpec object
      .id string
      .maxTasksPerNode int
      .street string
      .zIP string
      .again string
      .nested &Nested
    def Nested object
      .on string
  version 2014-04-04
    spec &ThingSpec
    def ThingSpec object
      .id string
      .taskSlotsPerNode int
      .colour string
      .zip string
      .nested &Nested
    def Nested object
      .off string
  version 2015-05-05-preview
    spec &ThingSpec
    def ThingSpec object
      .id string
      .taskSlotsPerNode int
      .colour string
      .zip string
      .trial string
      .nested &Nested
    def Nested object
      .off string
  version 2016-06-06
    spec &ThingSpec
    def ThingSpec object
      .id string
      .taskSlotsPerNode int
      .zip string
      .again string
      .nested &Nested
    def Nested object
      .off string
`

func linked(t testing.TB, text string, renames ...config.Rename) *chain.Chain {
	t.Helper()
	return linkedWith(t, text, removals.Metadata{Renames: renames})
}

func linkedWith(t testing.TB, text string, m removals.Metadata) *chain.Chain {
	t.Helper()
	all, err := model.Parse("model", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var opts chain.Options
	for _, n := range m.Conversions {
		if n.Mode == config.None {
			opts.Conversions = append(opts.Conversions, chain.Conversion{Folder: n.Group, Version: n.Version, Type: n.Type, Property: n.Property, Mode: chain.None})
		}
	}
	for _, n := range m.Renames {
		opts.Renames = append(opts.Renames, chain.Rename{Folder: n.Group, Version: n.Version, Type: n.Type, Property: n.Property, To: n.To})
	}
	c, _ := chain.Link(context.Background(), all, opts)
	return c
}

var everything = removals.Options{About: func(string) bool { return true }}

func find(c *chain.Chain, m removals.Metadata) []string {
	var out []string
	for _, f := range removals.Find(context.Background(), c, m, everything) {
		line := fmt.Sprintf("%s: %s", f.Below(), f.Line())
		if f.Returns != "" {
			line += ", returns in " + f.Returns
		}
		out = append(out, line)
	}
	return out
}

// TestFindLetterCase checks that two properties whose names differ in letter case alone are two
// findings, and that metadata of one does not assess the other.
func TestFindLetterCase(t *testing.T) {
	c := linked(t, `
resource A/things
  kind Thing things
  version 2013-03-03
    spec &ThingSpec
    def ThingSpec object
      .id string
      .gone string
      .Gone int
      .kept string
      .Kept string
  version 2014-04-04
    spec &ThingSpec
    def ThingSpec object
      .id string
      .Kept string
`)
	of := func(property string) config.Removal {
		return config.Removal{Group: "a", Version: "2013-03-03", Type: "ThingSpec", Property: property}
	}
	line := func(property string) string {
		return fmt.Sprintf(`resources.a["2013-03-03"].ThingSpec: %s: {removed: assessed}`, property)
	}
	for _, tt := range []struct {
		assessed, fault string
		want            []string
	}{
		{"", "", []string{line("gone"), line("Gone"), line("kept")}},
		{"Gone", "", []string{line("gone"), line("kept")}},
		{"gone", "", []string{line("Gone"), line("kept")}},
		{"kept", "", []string{line("gone"), line("Gone")}},
		{"Kept", "Kept is not removed: 2014-04-04 still has it", []string{line("gone"), line("Gone"), line("kept")}},
		{"GONE", `ThingSpec of a 2013-03-03 has no property "GONE", and several whose names differ in letter case alone`, []string{line("gone"), line("Gone"), line("kept")}},
	} {
		var m removals.Metadata
		if tt.assessed != "" {
			m.Removals = append(m.Removals, of(tt.assessed))
		}
		if diff := cmp.Diff(tt.want, find(c, m)); diff != "" {
			t.Errorf("%q is assessed (-want +got):\n%s", tt.assessed, diff)
		}
		fault := ""
		for _, f := range removals.Faults(c, m) {
			fault += f.Text
		}
		if fault != tt.fault {
			t.Errorf("%q is assessed: the fault is %q, want %q", tt.assessed, fault, tt.fault)
		}
	}
}

func TestFind(t *testing.T) {
	rename := config.Rename{Group: "a", Version: "2013-03-03", Type: "ThingSpec", Property: "maxTasksPerNode", To: "taskSlotsPerNode"}
	tests := []struct {
		reason  string
		renames []config.Rename
		m       removals.Metadata
		gone    []string // of all findings
	}{
		{reason: "all that ends is listed, likely renames first; what differs by letter case does not end"},
		{
			reason: "a rename that is followed is no finding", renames: []config.Rename{rename},
			gone: []string{`resources.a["2013-03-03"].ThingSpec: maxTasksPerNode: {nameInNextVersion: taskSlotsPerNode}`},
		},
		{
			reason: "nor is an assessed removal, whatever its letters",
			m:      removals.Metadata{Removals: []config.Removal{{Group: "a", Version: "2014-04-04", Type: "ThingSpec", Property: "Colour"}}},
			gone:   []string{`resources.a["2014-04-04"].ThingSpec: colour: {removed: assessed}`},
		},
		{
			reason: "nor is what takes no part in conversions",
			m:      removals.Metadata{Conversions: []config.Conversion{{Group: "a", Version: "2013-03-03", Type: "ThingSpec", Property: "Street", Mode: config.None}}},
			gone:   []string{`resources.a["2013-03-03"].ThingSpec: street: {removed: assessed}`},
		},
		{
			reason: "nor what is of a type that does not",
			m:      removals.Metadata{Conversions: []config.Conversion{{Group: "a", Version: "2013-03-03", Type: "Nested", Mode: config.None}}},
			gone:   []string{`resources.a["2013-03-03"].Nested: "on": {nameInNextVersion: "off"}`},
		},
		{
			reason: "but what is converted by hand ends all the same",
			m:      removals.Metadata{Conversions: []config.Conversion{{Group: "a", Version: "2014-04-04", Type: "ThingSpec", Property: "colour", Mode: config.Custom}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			want := slices.DeleteFunc([]string{
				`resources.a["2013-03-03"].ThingSpec: maxTasksPerNode: {nameInNextVersion: taskSlotsPerNode}`,
				`resources.a["2013-03-03"].Nested: "on": {nameInNextVersion: "off"}`,
				`resources.a["2013-03-03"].ThingSpec: street: {removed: assessed}`,
				`resources.a["2013-03-03"].ThingSpec: again: {removed: assessed}, returns in 2016-06-06`,
				`resources.a["2014-04-04"].ThingSpec: colour: {removed: assessed}`,
				`resources.a["2015-05-05-preview"].ThingSpec: trial: {removed: assessed}`,
			}, func(line string) bool { return slices.Contains(tt.gone, line) })
			tt.m.Renames = tt.renames
			if diff := cmp.Diff(want, find(linkedWith(t, things, tt.m), tt.m)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOneNameOnce checks that two properties that end are not given the same new name, which a
// configuration would refuse.
func TestOneNameOnce(t *testing.T) {
	c := linked(t, `
resource A/things
  kind Thing things
  version 2013-03-03
    spec &ThingSpec
    def ThingSpec object
      .targetOSVersion string
      .currentOSVersion string
  version 2014-04-04
    spec &ThingSpec
    def ThingSpec object
      .targetOsVersions string
`)
	got := find(c, removals.Metadata{})
	want := []string{
		`resources.a["2013-03-03"].ThingSpec: targetOSVersion: {nameInNextVersion: targetOsVersions}`,
		`resources.a["2013-03-03"].ThingSpec: currentOSVersion: {removed: assessed}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestPlurals checks that a list of the values that end is proposed as a declared change, and that
// one of others is not.
func TestPlurals(t *testing.T) {
	c := linked(t, `
resource A/things
  kind Thing things
  version 2013-03-03
    spec &ThingSpec
    def ThingSpec object
      .address string
      .owners list string
      .label int
  version 2014-04-04
    spec &ThingSpec
    def ThingSpec object
      .addresses list string
      .owner string
      .labels list string
`)
	got := find(c, removals.Metadata{})
	want := []string{
		`resources.a["2013-03-03"].ThingSpec: owners: {nameInNextVersion: owner, singular: true}`,
		`resources.a["2013-03-03"].ThingSpec: address: {nameInNextVersion: addresses, plural: true}`,
		`resources.a["2013-03-03"].ThingSpec: label: {removed: assessed}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	rename := func(version, typ, property, to string) removals.Metadata {
		return removals.Metadata{Renames: []config.Rename{{Group: "a", Version: version, Type: typ, Property: property, To: to}}}
	}
	removal := func(version, typ, property string) removals.Metadata {
		return removals.Metadata{Removals: []config.Removal{{Group: "a", Version: version, Type: typ, Property: property}}}
	}
	tests := []struct {
		reason     string
		m          removals.Metadata
		text, hint string // "" for no fault
	}{
		{"a rename that is needed", rename("2013-03-03", "ThingSpec", "MaxTasksPerNode", "taskslotspernode"), "", ""},
		{"a removal that is one", removal("2013-03-03", "ThingSpec", "street"), "", ""},
		{"a leaf's removal", removal("2015-05-05-preview", "ThingSpec", "trial"), "", ""},
		{"a rename of a type", rename("2013-03-03", "Nested", "", "Nested"), "", ""},
		{
			"how a property of the last version converts",
			removals.Metadata{Conversions: []config.Conversion{{Group: "a", Version: "2016-06-06", Type: "ThingSpec", Property: "ID", Mode: config.Custom}}}, "", "",
		},
		{"no such group", removals.Metadata{Removals: []config.Removal{{Group: "b", Version: "2013-03-03", Type: "T", Property: "p"}}}, `there is no group "b"`, `did you mean "a"?`},
		{"no such version", removal("2013-03-30", "ThingSpec", "street"), `a has no version "2013-03-30"`, `did you mean "2013-03-03"?`},
		{"no such type", removal("2013-03-03", "ThinSpec", "street"), `a 2013-03-03 has no type "ThinSpec"`, `did you mean "ThingSpec"?`},
		{"no such property", removal("2013-03-03", "ThingSpec", "streat"), `ThingSpec of a 2013-03-03 has no property "streat"`, `did you mean "street"?`},
		{"nothing near", removal("2013-03-03", "Nested", "colour"), `Nested of a 2013-03-03 has no property "colour"`, "properties here: on"},
		{"no new name", rename("2013-03-03", "ThingSpec", "street", "color"), `ThingSpec of the next version, 2014-04-04, has no new property "color"`, `did you mean "colour"?`},
		{"still there", rename("2013-03-03", "ThingSpec", "id", "colour"), "id is needed no longer: 2014-04-04 still has it", "remove nameInNextVersion"},
		{"found by letter case", removal("2013-03-03", "ThingSpec", "zIP"), `zIP is not removed: 2014-04-04 calls it "zip", which is found without metadata`, "remove `removed: assessed`"},
		{"not removed", removal("2013-03-03", "ThingSpec", "id"), "id is not removed: 2014-04-04 still has it", "remove `removed: assessed`"},
		{"the last version", rename("2016-06-06", "ThingSpec", "id", "x"), "2016-06-06 is the last version on the main line: there is no next one", "the key stands with the last version that has the old name"},
		{"no new type", rename("2013-03-03", "Nested", "", "Nestedd"), `the next version, 2014-04-04, has no type "Nestedd"`, `did you mean "Nested"?`},
		{
			"a mode of nothing",
			removals.Metadata{Conversions: []config.Conversion{{Group: "a", Version: "2013-03-03", Type: "ThingSpec", Property: "stret", Mode: config.None}}},
			`ThingSpec of a 2013-03-03 has no property "stret"`, `did you mean "street"?`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var want []diag.Message
			if tt.text != "" {
				want = []diag.Message{{Severity: diag.Error, Text: tt.text, Hint: tt.hint}}
			}
			if diff := cmp.Diff(want, removals.Faults(linkedWith(t, things, tt.m), tt.m)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLinesArePasted checks that every proposed line can be pasted and has an effect: there are no
// findings left, and no faults.
func TestLinesArePasted(t *testing.T) {
	c := linked(t, things)
	var m removals.Metadata
	for _, f := range removals.Find(context.Background(), c, m, everything) {
		if f.IsRename() {
			m.Renames = append(m.Renames, config.Rename{Group: f.Group, Version: f.Version, Type: f.Type, Property: f.Property, To: f.Candidates[0].Name})
		} else {
			m.Removals = append(m.Removals, config.Removal{Group: f.Group, Version: f.Version, Type: f.Type, Property: f.Property})
		}
	}
	c = linked(t, things, m.Renames...)
	if left := find(c, m); len(left) > 0 {
		t.Errorf("still not assessed: %s", strings.Join(left, "\n"))
	}
	if faults := removals.Faults(c, m); len(faults) > 0 {
		t.Errorf("faults: %v", faults)
	}
}
