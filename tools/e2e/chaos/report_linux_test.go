package chaos_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

var (
	report  = flag.String("report", "", "the `file` that the page of figures is written to")
	figures = flag.String("figures", "", "the `file` with the figures of earlier storms, to which those of this one are added")
)

// counted are the figures of one storm, or of several.
type counted struct {
	Storms, Rounds            int
	Seeds                     []uint64
	Created, Edited, Deleted  int
	Teams                     [4]int // created, scaled, edited and deleted
	Calls, Duplicates         int
	Foreign, Changed          int
	Orphaned                  int
	Removed, Meddled, Learned int
	Latest, Calm              time.Duration // the longest of all storms
	Happened                  map[string]int
	Faults                    map[string]int
}

// add adds the figures of another storm.
func (c *counted) add(o counted) {
	for to, more := range map[*int]int{
		&c.Storms: o.Storms, &c.Rounds: o.Rounds, &c.Created: o.Created, &c.Edited: o.Edited, &c.Deleted: o.Deleted,
		&c.Calls: o.Calls, &c.Duplicates: o.Duplicates, &c.Foreign: o.Foreign, &c.Changed: o.Changed, &c.Orphaned: o.Orphaned,
		&c.Removed: o.Removed, &c.Meddled: o.Meddled, &c.Learned: o.Learned,
	} {
		*to += more
	}
	for i := range c.Teams {
		c.Teams[i] += o.Teams[i]
	}
	c.Seeds = slices.Concat(o.Seeds, c.Seeds)
	c.Latest, c.Calm = max(c.Latest, o.Latest), max(c.Calm, o.Calm)
	for name, n := range o.Happened {
		c.Happened[name] += n
	}
	for name, n := range o.Faults {
		c.Faults[name] += n
	}
}

// counts returns the figures of this storm.
func (s *storm) counts() counted {
	s.Helper()
	stats, w, t := s.stats(), s.strangers.truth, s.strangers.teams
	return counted{
		Storms: 1, Rounds: rounds(), Seeds: []uint64{s.seed}, Created: each * rounds(), Edited: s.edited, Deleted: s.deleted,
		Teams: [...]int{len(t.all), t.scaled, t.edited, t.deleted}, Calls: int(stats.Calls), Duplicates: s.duplicates,
		Foreign: len(s.strangers.foreign), Changed: s.strangers.changed, Orphaned: s.orphaned,
		Removed: w.removed, Meddled: w.meddled, Learned: w.learned, Latest: w.latest, Calm: s.calm,
		Happened: maps.Clone(s.happened), Faults: maps.Clone(stats.Faults),
	}
}

// reports logs the page of figures, and writes it. The figures of earlier storms are added, so that
// many rounds may be divided among several runs.
func (s *storm) reports() {
	s.Helper()
	all := s.counts()
	s.Log("\n" + all.page())
	if s.Failed() {
		return
	}
	if *figures != "" {
		all.add(s.earlier())
		text, err := json.MarshalIndent(all, "", "  ")
		s.writes(*figures, text, err)
	}
	if *report != "" {
		s.writes(*report, []byte(all.page()), nil)
	}
}

// earlier returns the figures of earlier storms.
func (s *storm) earlier() (all counted) {
	s.Helper()
	text, err := os.ReadFile(*figures)
	if errors.Is(err, fs.ErrNotExist) {
		return all
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *storm) writes(file string, text []byte, err error) {
	s.Helper()
	if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// page is the report.
func (c counted) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# The operator in a storm

Written by `+"`go test ./tools/e2e/chaos -report FILE`"+`; STRATA_SOAK=1 makes it fifty rounds, and
`+"`-figures FILE`"+` adds the figures of earlier storms. Two replicas of the operator with the ARM
provider run on a real API server, against the simulator. Each round creates up to 24 resources of
the worked example. It edits and deletes some of those of the round before, while it disturbs a
process. Other objects mean resources of other clients, mean the same resource in pairs, claim
resources of another tenant by annotations, or adopt existing resources. In each round,
`+"`strata arm import`"+` writes objects for two of these, half of which are deleted. Some have the
credentials of another tenant or subscription for a while. Cluster-scoped objects are scaled through
another version than that of their author. Other clients remove or change some resources, create
some anew as soon as the operator has deleted them, and create some at the same time as the
operator. A Secret with credentials disappears in every other round, and a namespace is deleted in
each. One tenant is throttled for longer than the others. Calls for some resources are refused with
4xx. Objects in two namespaces mean one resource. The external API sets its own value in some
resources. Some objects are declared in an older version than before, and lose an output. Some have
a secret that changes, while more than half of their PUTs are refused. Half of the PUTs of others
take effect without an answer. All the time the external API misbehaves, and half of its changes
take a second.

| | |
|---|---|
| storms, and their rounds together | %d, %d |
| seeds of the storms, which `+"`-seed`"+` takes | %s |
| resources created, edited, deleted | %d, %d, %d |
| cluster-scoped resources created, scaled through another version, edited, deleted | %d, %d, %d, %d |
| calls of the external API | %d |
| resources that were created twice there | %d |
| resources of others there, and changes to them | %d, %d |
| resources there that no object has, that are missing, or that differ from their objects | %d |
| resources that were removed and changed behind the operator | %d, %d |
| of these, looks that told the operator while no process was disturbed; the longest time from then until the object was not Ready | %d; %.0f ms |
| all ready after the external API behaves again, at most | %.0f s |

| what happened to processes | times |
|---|---|
`, c.Storms, c.Rounds, strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Seeds), " ", ", "), "[]"), c.Created, c.Edited, c.Deleted, c.Teams[0], c.Teams[1], c.Teams[2], c.Teams[3], c.Calls, c.Duplicates, c.Foreign, c.Changed, c.Orphaned,
		c.Removed, c.Meddled, c.Learned, float64(c.Latest.Milliseconds()), c.Calm.Seconds())
	table(&b, c.Happened)
	b.WriteString("\n| what the external API did | times |\n|---|---|\n")
	table(&b, c.Faults)
	return b.String()
}

func table(b *strings.Builder, counts map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, "| %s | %d |\n", name, counts[name])
	}
}
