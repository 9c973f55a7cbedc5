package chain

import (
	"context"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/model"
)

// runWithout links the first n versions of a resource, and skips the dropped ones.
func runWithout(t *testing.T, r *model.Resource, n int, records map[string]*Record, dropped string, renames ...Rename) *Resource {
	t.Helper()
	part := *r
	part.Versions = append([]*model.Version(nil), r.Versions[:n]...)
	c, problems := Link(context.Background(), []*model.Resource{&part}, Options{Records: records, Renames: renames, Prune: func(_, v string) Pruning {
		if strings.Contains(dropped, v) {
			return Dropped
		}
		return Whole
	}})
	if len(problems) > 0 {
		t.Fatalf("%+v", problems)
	}
	return c.Groups[0].Resources[0]
}

// recordsOf returns the records of a run that the next run reads.
func recordsOf(r *Resource) map[string]*Record {
	return map[string]*Record{strings.ToLower(r.Model.Type): r.Record().Mirror()}
}

// secondFormat returns the record of a run in the second format of the ledger. Without lineages,
// the paths of its rows and its joins follow from keys alone. A record of this release without
// its lineages has other paths, which no release wrote. r must not be used afterwards.
func secondFormat(r *Resource) *Record {
	for _, p := range r.places {
		clear(p.members)
	}
	record := r.Record()
	record.Unnamed, record.Named = true, nil
	return record.Mirror()
}

// areOne reports whether a place has two properties of two versions as one lineage.
func areOne(r *Resource, p *Place, v, a, w, b string) bool {
	x, y := p.At(r.version(v).Index, a), p.At(r.version(w).Index, b)
	return x != nil && x == y
}

// stayOne checks that a place has a of 2011 and A of 2012 and 2013 as one lineage.
func stayOne(t *testing.T, r *Resource, p *Place) {
	t.Helper()
	for _, c := range [][4]string{{"2011-01-01", "a", "2012-01-01", "A"}, {"2012-01-01", "A", "2013-01-01", "A"}, {"2011-01-01", "a", "2013-01-01", "A"}} {
		if !areOne(r, p, c[0], c[1], c[2], c[3]) {
			t.Errorf("status %t: %s of %s and %s of %s were one property and are two", p == r.Status, c[1], c[0], c[3], c[2])
		}
	}
}

// TestVersionsOfOlderLedgersComeBack begins with a ledger of the second format that has a pruned
// version.
func TestVersionsOfOlderLedgersComeBack(t *testing.T) {
	r := shop(t, []string{"a:string", "A:string", "A:string"})
	first := runWithout(t, r, 3, nil, "")
	if !areOne(first, first.Root, "2011-01-01", "a", "2012-01-01", "A") {
		t.Fatal("premise")
	}
	record := first.Record()
	if len(record.Keys) > 0 {
		t.Fatal("premise: 2012 can be pruned", record.Keys)
	}
	records := map[string]*Record{"a/things": secondFormat(first)}
	second := runWithout(t, r, 3, records, "2012-01-01") // the first run with this release
	third := runWithout(t, r, 3, recordsOf(second), "")
	stayOne(t, third, third.Root)
}

const statusThatBegins = `resource A/things
  kind Thing things
  version 2011-01-01
    spec &ThingSpec
    def ThingSpec object
      .a string
  version 2012-01-01
    spec &ThingSpec
    def ThingSpec object
      .A string
  version 2013-01-01
    spec &ThingSpec
    def ThingSpec object
      .A string
  version 2014-01-01
    spec &ThingSpec
    status &ThingStatus
    def ThingSpec object
      .A string
    def ThingStatus object
      .A string
`

// TestVersionsComeBackAfterStatusBegins prunes a version while the status stops mirroring the
// spec.
func TestVersionsComeBackAfterStatusBegins(t *testing.T) {
	r := chaintest.Parse(t, statusThatBegins)[0]
	first := runWithout(t, r, 3, nil, "")
	if !areOne(first, first.Root, "2011-01-01", "a", "2012-01-01", "A") {
		t.Fatal("premise")
	}
	second := runWithout(t, r, 4, recordsOf(first), "2012-01-01")
	third := runWithout(t, r, 4, recordsOf(second), "")
	stayOne(t, third, third.Root)
	stayOne(t, third, third.Status)
}

const statusOfAPreview = `resource A/things
  kind Thing things
  version 2011-01-01
    spec &ThingSpec
    def ThingSpec object
      .a string
  version 2012-01-01
    spec &ThingSpec
    def ThingSpec object
      .A string
  version 2012-06-01-preview
    spec &ThingSpec
    status &ThingStatus
    def ThingSpec object
      .A string
    def ThingStatus object
      .A string
  version 2013-01-01
    spec &ThingSpec
    def ThingSpec object
      .A string
`

// TestStatusComesBack prunes the only version with a status while another version arrives.
func TestStatusComesBack(t *testing.T) {
	r := chaintest.Parse(t, statusOfAPreview)[0]
	first := runWithout(t, r, 3, nil, "")
	if len(first.Record().Keys) > 0 {
		t.Fatal("premise: the preview can be pruned", first.Record().Keys)
	}
	second := runWithout(t, r, 4, recordsOf(first), "2012-06-01-preview")
	if !areOne(second, second.Root, "2012-01-01", "A", "2013-01-01", "A") {
		t.Fatal("premise: statuses mirror specs")
	}
	third := runWithout(t, r, 4, recordsOf(second), "")
	stayOne(t, third, third.Status)
}

// TestNewPropertiesOfKnownTypes adds a property to versions that the ledger has, before one of the
// same type.
func TestNewPropertiesOfKnownTypes(t *testing.T) {
	text := func(y string) string {
		return strings.ReplaceAll(`resource A/things
  kind Thing things
  version 2011-01-01
    spec &ThingSpec
    def ThingSpec object
Y      .x &X
    def X object
      .aa string
  version 2013-01-01
    spec &ThingSpec
    def ThingSpec object
Y      .x &X
    def X object
      .aa string
  version 2012-01-01
    spec &ThingSpec
    def ThingSpec object
Y      .x &X
    def X object
      .bb string
`, "Y", y)
	}
	first := runWithout(t, chaintest.Parse(t, text(""))[0], 2, nil, "")
	rename := Rename{Folder: "a", Version: "2011-01-01", Type: "X", Property: "aa", To: "bb"}
	for _, y := range []string{"", "      .y &X\n"} {
		second := runWithout(t, chaintest.Parse(t, text(y))[0], 3, recordsOf(first), "", rename)
		p := second.Root.At(0, "x").Child(0)
		if !areOne(second, p, "2011-01-01", "aa", "2013-01-01", "aa") {
			t.Errorf("with %q: aa of 2011 and aa of 2013, at x, were one property and are two", y)
		}
	}
}

// TestVersionsWithoutLineages adds a version to the model of a ledger that names no lineages of it:
// names decide there.
func TestVersionsWithoutLineages(t *testing.T) {
	for _, c := range []struct {
		reason   string
		versions []string
		one      [][4]string
	}{
		{"a version at the end", []string{"a:string", "A:string", "A:string"},
			[][4]string{{"2011-01-01", "a", "2013-01-01", "A"}, {"2012-01-01", "A", "2013-01-01", "A"}}},
		{"members of objects", []string{"x:&X a:&X", "X:&X A:&X", "A:&Z X:&X"},
			[][4]string{{"2011-01-01", "a", "2013-01-01", "A"}, {"2011-01-01", "x", "2013-01-01", "X"}}},
	} {
		r := shop(t, c.versions)
		records := recordsOf(runWithout(t, r, 2, nil, ""))
		merged := *r
		records["a/things"].Model = &merged
		now := runWithout(t, r, 3, records, "")
		for _, one := range c.one {
			if !areOne(now, now.Root, one[0], one[1], one[2], one[3]) {
				t.Errorf("%s: %s of %s and %s of %s are two properties", c.reason, one[1], one[0], one[3], one[2])
			}
		}
		if got := now.Record().Named; len(got) != 3 {
			t.Errorf("%s: the next run knows lineages of %q", c.reason, got)
		}
	}
}
