package chain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/model"
)

// TestLineagesOfLateVersions checks that versions which arrive between others neither divide a
// lineage nor join two. Properties are listed in the order of versions; late is the version that
// arrives last.
func TestLineagesOfLateVersions(t *testing.T) {
	for _, c := range []struct {
		reason   string
		versions []string // properties: name:type
		late     int
	}{
		{"the neighbour has the name in another letter case only", []string{"a:string", "a:string A:string", "A:string", "a:string"}, 2},
		{"the neighbour has both letter cases", []string{"a:string", "a:string A:string", "A:string"}, 1},
		{"the same of objects", []string{"a:&X", "a:&X A:&X", "A:&X", "a:&X"}, 2},
		{"the same of objects in other shapes", []string{"a:&X", "a:&Y A:&Y", "A:&Z", "a:&Z"}, 2},
		{"objects, and both letter cases", []string{"a:&X", "a:&X A:&Z", "A:&Y"}, 1},
		{"three letter cases", []string{"aa:string", "Aa:string", "Aa:string AA:string", "aa:string Aa:string"}, 1},
		{"one of two letter cases arrives earlier", []string{"aa:string", "aa:string Aa:string", "Aa:string AA:string"}, 1},
		{"values of two kinds", []string{"a:string", "a:int A:string", "A:int"}, 1},
		{"two that end and begin again", []string{"a:int", "a:int A:int", "b:int", "A:int", "a:int"}, 2},
		{"a member of an object", []string{"x:&X", "x:&Y", "x:&X"}, 1},
	} {
		r := shop(t, c.versions)
		late := r.Versions[c.late]
		r.Versions = append(slices.Delete(r.Versions, c.late, c.late+1), late)
		h := &runs{of: r}
		for n := len(r.Versions) - 1; n <= len(r.Versions); n++ {
			if fault := h.next(n); fault != "" {
				t.Errorf("%s: %s", c.reason, fault)
			}
		}
	}
}

// shop is a resource with a version for each list of properties, which may begin with -preview.
func shop(t *testing.T, versions []string) *model.Resource {
	var text strings.Builder
	text.WriteString("resource A/things\n  kind Thing things\n")
	for i, properties := range versions {
		properties, preview := strings.CutPrefix(properties, "-preview ")
		suffix := map[bool]string{true: "-preview"}[preview]
		fmt.Fprintf(&text, "  version %d-01-01%s\n    spec &ThingSpec\n    def ThingSpec object\n", 2011+i, suffix)
		for property := range strings.FieldsSeq(properties) {
			name, typ, _ := strings.Cut(property, ":")
			fmt.Fprintf(&text, "      .%s %s\n", name, typ)
		}
		text.WriteString("    def X object\n      .c string\n      .next &X\n    def Y object\n      .next &Y\n    def Z object\n      .c int\n")
	}
	return chaintest.Parse(t, text.String())[0]
}

// TestLineagesStand checks that lineages are never divided or joined by later runs. Versions
// arrive in any order, some with a status, are skipped, and come back. Only metadata may join two
// lineages.
func TestLineagesStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([][]string{{"a", "A", "b"}, {"a", "A", "aa", "Aa", "AA"}, chaintest.Plain}).Draw(t, "names")
		r := chaintest.Resources(t, chaintest.Options{Names: names, Resources: 1, Versions: 6, Statuses: true})[0]
		h := &runs{of: r, dropped: map[string]bool{}}
		for n := 1; n <= len(r.Versions); n++ {
			h.prune(t, n)
			h.rename(t)
			fault := h.next(n)
			if strings.Contains(fault, "take back a nameInNextVersion") && len(h.renames) > 0 {
				return // what metadata states about objects contradicts the keys in them, and is refused
			}
			if fault != "" {
				t.Fatal(fault)
			}
		}
	})
}

// runs are runs of the generator, each with the record of the previous one.
type runs struct {
	of      *model.Resource
	records map[string]*Record
	before  *Resource
	all     []earlier
	text    string // of the record's rows
	dropped map[string]bool
	renames []Rename
}

// earlier is a run, and the number of its renames.
type earlier struct {
	run     *Resource
	renames int
}

// next runs with the first n versions, twice, and returns the fault; empty if there is none.
func (h *runs) next(n int) string {
	part := *h.of
	part.Versions = slices.Clone(h.of.Versions[:n])
	opts := Options{Records: h.records, Renames: h.renames, Prune: func(_, version string) Pruning {
		if h.dropped[version] {
			return Dropped
		}
		return Whole
	}}
	for _, what := range []string{"", " again"} {
		c, problems := Link(context.Background(), []*model.Resource{&part}, opts)
		for h.takeBack(problems) {
			opts.Renames = h.renames
			c, problems = Link(context.Background(), []*model.Resource{&part}, opts)
		}
		if problems = slices.DeleteFunc(problems, isLetterCase); len(problems) > 0 {
			return fmt.Sprintf("with %d versions%s: %+v", n, what, problems)
		}
		now := c.Groups[0].Resources[0]
		for _, b := range h.all {
			mayJoin := len(h.renames) > b.renames || len(h.renames) > 0 && (what == "" || b.run != h.before)
			if fault := changed(b.run, now, mayJoin); fault != "" {
				return fmt.Sprintf("with %d versions%s, compared with a run of %d: %s", n, what, len(b.run.Versions), fault)
			}
		}
		record := now.Record()
		if text := fmt.Sprint(record.Keys, record.Lineages); what == "" {
			h.text = text
		} else if h.text != text {
			return fmt.Sprintf("with %d versions, the same run again writes\n%s\nin place of\n%s", n, text, h.text)
		}
		h.all = append(h.all, earlier{now, len(h.renames)})
		known := part.Head()
		known.Versions = slices.DeleteFunc(slices.Clone(part.Versions), func(v *model.Version) bool { return !slices.Contains(record.Named, v.Name) })
		record.Model = known // as the ledger has it
		h.before, h.records = now, map[string]*Record{strings.ToLower(part.Type): record.Mirror()}
		opts.Records = h.records
	}
	return ""
}

// isLetterCase reports whether a problem is that names differ in letter case alone. The properties
// are not joined then: what holds for others holds for them.
func isLetterCase(p Problem) bool { return strings.Contains(p.Text, "differ in letter case alone") }

// takeBack removes the renames that are refused because they contradict the ledger. It returns
// false if there are none.
func (h *runs) takeBack(problems []Problem) bool {
	before := len(h.renames)
	h.renames = slices.DeleteFunc(slices.Clone(h.renames), func(r Rename) bool {
		refused := fmt.Sprintf("nameInNextVersion of %s.%s in %s %s contradicts the ledger", r.Type, r.Property, r.Folder, r.Version)
		return slices.ContainsFunc(problems, func(p Problem) bool { return strings.HasPrefix(p.Text, refused) })
	})
	return len(h.renames) < before
}

// prune skips some of the versions that no key names, including new ones, and brings others back.
func (h *runs) prune(t *rapid.T, n int) {
	if h.before == nil {
		return
	}
	named := map[string]bool{h.before.Hub.Model.Name: true}
	for _, k := range h.before.Record().Keys {
		named[k.Version] = true
		for _, v := range h.before.Versions {
			named[v.Model.Name] = named[v.Model.Name] || v.Label == k.Compat
		}
	}
	for _, v := range h.before.Versions {
		h.dropped[v.Model.Name] = !named[v.Model.Name] && rapid.IntRange(0, 2).Draw(t, "prune") == 0
	}
	for _, v := range h.of.Versions {
		h.dropped[v.Name] = h.dropped[v.Name] && rapid.IntRange(0, 2).Draw(t, "back") > 0
	}
	h.dropped[h.of.Versions[n-1].Name] = rapid.IntRange(0, 4).Draw(t, "arrives pruned") == 0
}

// rename gives some properties other names in the next version.
func (h *runs) rename(t *rapid.T) {
	if h.before == nil || rapid.IntRange(0, 3).Draw(t, "renames") > 0 {
		return
	}
	for _, p := range h.before.places {
		for _, l := range p.Lineages {
			other := rapid.SampledFrom(p.Lineages).Draw(t, "other")
			i := rapid.IntRange(0, len(p.Defs)-1).Draw(t, "version")
			if q, to := l.Live[i], other.first(); q != nil && l != other && !p.isMap(i) {
				h.renames = append(h.renames, Rename{Folder: p.Resource.Group.Folder, Version: p.Resource.Versions[i].Model.Name,
					Type: p.Defs[i].Name, Property: q.Name, To: other.Live[to].Name, Stated: true})
			}
		}
	}
}

// changed returns properties that are one lineage in one run and two in the other. Metadata may
// join them.
func changed(before, now *Resource, mayJoin bool) string {
	all := map[int]int{}
	for _, v := range before.Versions {
		if w := now.version(v.Model.Name); w != nil {
			all[v.Index] = w.Index
		}
	}
	w := pairs{seen: map[string]bool{}, mayJoin: mayJoin}
	w.compare(before.Root, now.Root, all, "spec")
	switch {
	case before.Status != nil && now.Status != nil:
		w.compare(before.Status, now.Status, all, "status")
	case now.Status != nil:
		w.compare(before.Root, now.Status, all, "status")
	}
	return w.fault
}

// pairs compares places of two runs.
type pairs struct {
	seen    map[string]bool
	mayJoin bool
	fault   string
}

// compare compares the places of two runs at one path, in some versions, which are identified by
// their numbers in both runs.
func (w *pairs) compare(p, q *Place, versions map[int]int, path string) {
	if key := fmt.Sprintf("%p %p %v", p, q, versions); w.fault != "" || w.seen[key] {
		return
	} else {
		w.seen[key] = true
	}
	had := standing(p, versions)
	for _, a := range had {
		for _, b := range had {
			m, n := q.At(versions[a.version], a.name), q.At(versions[b.version], b.name)
			if a.lineage == b.lineage && m != n || a.lineage != b.lineage && m == n && !w.mayJoin {
				w.fault = fmt.Sprintf("%s.%s of %s and .%s of %s: one property before: %t, by now: %t", path, a.name, p.Resource.Versions[a.version].Label, b.name, p.Resource.Versions[b.version].Label, a.lineage == b.lineage, m == n)
				return
			}
		}
	}
	w.below(p, q, had, versions, path)
}

// member is a property in one version.
type member struct {
	version int
	name    string
	lineage *Lineage
}

func standing(p *Place, versions map[int]int) []member {
	var out []member
	for i := range p.Defs {
		if _, has := versions[i]; !has || p.Defs[i] == nil || p.isMap(i) {
			continue
		}
		for _, l := range p.Lineages {
			if l.Live[i] != nil {
				out = append(out, member{i, l.Live[i].Name, l})
			}
		}
	}
	return out
}

// below compares the places that a place's properties lead to, each pair of places once.
func (w *pairs) below(p, q *Place, had []member, versions map[int]int, path string) {
	type both struct{ p, q *Place }
	of := map[both]map[int]int{}
	var order []both
	paths := map[both]string{}
	for _, a := range had {
		at := versions[a.version]
		b := both{a.lineage.Child(a.version), q.At(at, a.name).Child(at)}
		if b.p == nil || b.q == nil {
			continue
		}
		if of[b] == nil {
			of[b] = map[int]int{}
			order, paths[b] = append(order, b), path+"."+a.name
		}
		of[b][a.version] = at
	}
	for _, b := range order {
		w.compare(b.p, b.q, of[b], paths[b])
	}
}

// TestLineagesOfSteppedOverVersions checks that a lineage through a skipped version is not
// divided by the names of its new neighbours.
func TestLineagesOfSteppedOverVersions(t *testing.T) {
	r := shop(t, []string{"a:string", "A:string", "A:string a:string"})
	h := &runs{of: r, dropped: map[string]bool{}}
	for _, dropped := range []bool{false, true, false} {
		h.dropped["2012-01-01"] = dropped
		if fault := h.next(3); fault != "" {
			t.Errorf("2012 stepped over: %t: %s", dropped, fault)
		}
		if p := h.before.Root; p.At(0, "a") != p.At(h.before.Hub.Index, "A") {
			t.Errorf("2012 stepped over: %t: a of 2011 is no longer A of 2013", dropped)
		}
	}
}

// TestLineagesOfOlderLedgers checks that a version that arrives late does not divide a lineage if
// the ledger has a format without lineages.
func TestLineagesOfOlderLedgers(t *testing.T) {
	r := shop(t, []string{"a:&X", "a:&Y A:&Y", "A:&Z", "a:&Z"})
	r.Versions[2], r.Versions[3] = r.Versions[3], r.Versions[2]
	h := &runs{of: r}
	if fault := h.next(3); fault != "" {
		t.Fatal(fault)
	}
	for name := range h.records {
		h.records[name] = secondFormat(h.before)
	}
	if fault := h.next(4); fault != "" {
		t.Error(fault)
	}
}

// TestRandomOlderLedgers runs twice. The second run reads the first run's ledger in the second
// format.
func TestRandomOlderLedgers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := chaintest.Resources(t, chaintest.Options{Names: chaintest.Plain, Resources: 1, Versions: 6, Statuses: true})[0]
		var records map[string]*Record
		for range 2 {
			c, problems := Link(context.Background(), []*model.Resource{r}, Options{Records: records})
			if len(problems) > 0 {
				t.Fatalf("a run that reads %v: %v", records, problems)
			}
			record := secondFormat(c.Groups[0].Resources[0])
			if len(record.Lineages) > 0 {
				t.Fatal("the second format has no lineages")
			}
			records = map[string]*Record{strings.ToLower(r.Type): record}
		}
	})
}

// TestRenameAgainstLedger checks that metadata joins two properties only if no version has
// both of them.
func TestRenameAgainstLedger(t *testing.T) {
	for _, c := range []struct {
		versions []string
		problem  string
	}{
		{[]string{"a:string", "b:string", "a:string b:string"}, "nameInNextVersion of ThingSpec.a in a 2011-01-01 contradicts the ledger, which has a and b as two properties of A/things in 2013-01-01"},
		{[]string{"a:string", "b:string", "b:string"}, ""},
	} {
		h := &runs{of: shop(t, c.versions)}
		if fault := h.next(3); fault != "" {
			t.Fatal(fault)
		}
		rename := Rename{Folder: "a", Version: "2011-01-01", Type: "ThingSpec", Property: "a", To: "b"}
		chain, problems := Link(context.Background(), []*model.Resource{h.of}, Options{Records: h.records, Renames: []Rename{rename}})
		var got []string
		for _, p := range problems {
			got = append(got, p.Text)
		}
		root := chain.Groups[0].Resources[0].Root
		if one := root.At(0, "a") == root.At(1, "b"); strings.Join(got, "; ") != c.problem || one != (c.problem == "") {
			t.Errorf("%s: %q, one property: %t", c.versions, got, one)
		}
	}
}

// TestMetadataDividesLineages checks that properties which `conversion: none` divides are one
// again when the user removes it, and that other properties are not joined.
func TestMetadataDividesLineages(t *testing.T) {
	for _, c := range []struct {
		reason        string
		versions      []string
		none          string // the property that matches no later one, or that of a leaf
		at            int
		parted, other string // the property that it is one with otherwise, in another version
		otherAt       int
		rejoins       bool
		rows          string
	}{
		{"of the main line", []string{"a:string", "a:string", "a:string"}, "a", 0, "a", "a", 1, true, "[]"},
		{"of a leaf", []string{"a:string", "-preview a:string"}, "a", 1, "a", "a", 0, true, "[]"},
		{"with a property of the name beside it", []string{"a:string", "A:string", "A:string a:string"}, "A", 2, "A", "a", 2, false,
			"[{false 2012-01-01 [] A a false} {false 2013-01-01 [] A a false} {false 2013-01-01 [] a a@v20130101 false}]"},
	} {
		r := shop(t, c.versions)
		at, otherAt := r.Versions[c.at].Name, r.Versions[c.otherAt].Name
		records := map[string]*Record{}
		for _, none := range []bool{true, true, false} {
			opts := Options{Records: records}
			if none {
				opts.Conversions = []Conversion{{Folder: "a", Version: at, Type: "ThingSpec", Property: c.none, Mode: None}}
			}
			chain, problems := Link(context.Background(), []*model.Resource{r}, opts)
			now := chain.Groups[0].Resources[0]
			one := now.Root.At(now.version(at).Index, c.parted) == now.Root.At(now.version(otherAt).Index, c.other)
			if want := c.rejoins && !none; one != want || len(problems) > 0 {
				t.Errorf("%s, conversion none: %t: one property: %t, %v", c.reason, none, one, problems)
			}
			record := now.Record()
			if got := fmt.Sprint(record.Lineages); got != c.rows {
				t.Errorf("%s: the ledger has %s", c.reason, got)
			}
			records["a/things"] = record.Mirror()
		}
	}
}

// TestStatedRenameAgainstLedger checks that a source's rename is refused if it contradicts
// the ledger at one path, even if it joins properties at another.
func TestStatedRenameAgainstLedger(t *testing.T) {
	const text = `resource A/things
  kind Thing things
  version 2011-01-01
    spec &ThingSpec
    def ThingSpec object
      .x &X
      .y &Y
    def X object
      .a string
    def Y object
      .a string
  version 2012-01-01
    spec &ThingSpec
    def ThingSpec object
      .x &X
      .y &Y
    def X object
      .b string
    def Y object
      .b string
  version 2013-01-01
    spec &ThingSpec
    def ThingSpec object
      .x &X
      .y &Y
    def X object
      .a string
      .b string
    def Y object
      .b string
`
	for _, y := range []string{"&X", "&Y"} {
		r := chaintest.Parse(t, strings.ReplaceAll(text, ".y &Y\n    def X object\n      .a", ".y "+y+"\n    def X object\n      .a"))[0]
		first := runWithout(t, r, 3, nil, "")
		rename := Rename{Folder: "a", Version: "2011-01-01", Type: "X", Property: "a", To: "b", Stated: true}
		_, problems := Link(context.Background(), []*model.Resource{r}, Options{Records: recordsOf(first), Renames: []Rename{rename}})
		if len(problems) != 1 || problems[0].Text != "nameInNextVersion of X.a in a 2011-01-01 contradicts the ledger, which has a and b as two properties of A/things in 2013-01-01" {
			t.Errorf("y is %s: %v", y, problems)
		}
	}
}

// TestDamagedLineages checks that a ledger that assigns two properties of an object to one
// lineage is damaged.
func TestDamagedLineages(t *testing.T) {
	r := shop(t, []string{"a:string b:string", "a:string"})
	row := LineageRow{Version: "2011-01-01", Property: "b", Name: "a"}
	_, problems := Link(context.Background(), []*model.Resource{r}, Options{Records: map[string]*Record{"a/things": {Model: r, Lineages: []LineageRow{row}}}})
	if len(problems) != 1 || problems[0].Text != "the ledger has a and b of A/things in 2011-01-01 as one property" {
		t.Error(problems)
	}
}

// TestFurtherMembersAreNotRenamed checks that metadata with the internal name of further members
// matches nothing.
func TestFurtherMembersAreNotRenamed(t *testing.T) {
	r := shop(t, []string{"a:string b:string", "a:string"})
	for _, v := range r.Versions {
		v.Def("ThingSpec").Object().Additional = &model.Scalar{Kind: model.String}
	}
	for _, rename := range []Rename{
		{Folder: "a", Version: "2011-01-01", Type: "ThingSpec", Property: "b", To: AdditionalName},
		{Folder: "a", Version: "2011-01-01", Type: "ThingSpec", Property: AdditionalName, To: AdditionalName},
	} {
		c, problems := Link(context.Background(), []*model.Resource{r}, Options{Renames: []Rename{rename}})
		if root := c.Groups[0].Resources[0].Root; len(problems) != 1 || root.At(0, "b") == root.At(1, AdditionalName) || root.At(0, AdditionalName) != root.At(1, AdditionalName) {
			t.Errorf("%s to %s: %v", rename.Property, rename.To, problems)
		}
	}
}

// TestFurthersOfLateVersions checks that an additional member and the property of its name stay
// one lineage when an earlier version arrives that has another name.
func TestFurthersOfLateVersions(t *testing.T) {
	r := shop(t, []string{"old:string", "b:string", "new:string"})
	r.Versions[1].Def("ThingSpec").Object().Additional = &model.Scalar{Kind: model.String}
	r.Versions = []*model.Version{r.Versions[1], r.Versions[2], r.Versions[0]}
	r.Versions[2].Name, r.Versions[0].Name = "2012-01-01", "2010-01-01"
	rename := Rename{Folder: "a", Version: "2012-01-01", Type: "ThingSpec", Property: "old", To: "new"}
	h := &runs{of: r}
	for _, n := range []int{2, 3} {
		if n == 3 {
			h.renames = []Rename{rename}
		}
		if fault := h.next(n); fault != "" {
			t.Fatal(fault)
		}
		root := h.before.Root
		var got []string
		for _, f := range root.Furthers() {
			got = append(got, f.Name)
		}
		if !slices.Contains(got, "new") || slices.Contains(got, "old") {
			t.Errorf("with %d versions, further members are %q", n, got)
		}
	}
	if root := h.before.Root; root.At(1, "old") != root.At(2, "new") {
		t.Error("metadata joined nothing")
	}
}
