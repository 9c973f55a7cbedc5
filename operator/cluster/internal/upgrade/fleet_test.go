package upgrade

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/operator/cluster/internal/references"
)

// fleet has a cluster with a finding, one without, and one that cannot be read.
func fleet(t *testing.T) *Fleet {
	t.Helper()
	f, err := Each(t.Context(), []string{"b", "x", "a"}, 2, func(_ context.Context, name string) (*Plan, error) {
		switch name {
		case "x":
			return &Plan{}, errors.New("no\x1banswer")
		case "a":
			return &Plan{Kinds: []Kind{{CRD: "c.d", To: "v1storage", New: true}}, NotChecked: []references.Unchecked{{What: "Helm", Reason: "no right"}}}, nil
		}
		return &Plan{Kinds: []Kind{{
			CRD: "c.d", From: "v1storage", To: "v1storage", Objects: 2, Largest: 10, Originals: map[string]int{"v1": 2},
			Findings: []Finding{{Reason: Lost, Version: "v1", Objects: 1, Example: "o", Path: "spec.a", Message: "m"}},
		}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFleet prints the plans of clusters. The cluster that cannot be read is a line of the first
// table, and stops no other.
func TestFleet(t *testing.T) {
	f := fleet(t)
	if !f.Failed() || !f.Incomplete() || f.Unread() != 1 {
		t.Errorf("%+v", f)
	}
	var table, markdown strings.Builder
	f.Table(&table)
	want := `CLUSTER  CRD             OBJECTS  HUB        CHANGES  WRITES  A SECOND  TIME  LARGEST
b        c.d             2        v1storage  none     0       -         -     10
x        cannot be read  -        -          -        -       -         -     -
a        c.d             0        v1storage  new      0       -         -     0
b: c.d: original versions: v1 2
CLUSTER  FINDING  CRD  VERSION  OBJECTS  EXAMPLE  PATH    MESSAGE
b        Lost     c.d  v1       1        o        spec.a  m
CLUSTER  NOT CHECKED  REASON
a        Helm         no right
CLUSTER  CANNOT BE READ
x        no answer
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.Markdown(&markdown)
	for _, line := range []string{`| x | cannot be read | - | - | - | - | - | - | - |`, "| b | Lost | c.d | v1 | 1 | o | spec.a | m |", "- b: c.d: original versions: v1 2", "| x | no answer |"} {
		if !strings.Contains(markdown.String(), line+"\n") {
			t.Errorf("%q is not in\n%s", line, markdown.String())
		}
	}
	text, err := json.Marshal(f)
	var read Fleet
	if err != nil || json.Unmarshal(text, &read) != nil || len(read.Clusters) != 3 || read.Clusters[1].Plan != nil || read.Clusters[1].Error == "" || read.Clusters[0].Plan.Kinds[0].Objects != 2 {
		t.Errorf("%s, %v", text, err)
	}
}

// TestFleetInJUnit counts the failures and errors of all clusters.
func TestFleetInJUnit(t *testing.T) {
	var out strings.Builder
	if err := fleet(t).JUnit(&out); err != nil {
		t.Fatal(err)
	}
	var got suites
	if err := xml.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range got.Suites {
		names = append(names, fmt.Sprint(s.Name, " ", s.Failures, " ", s.Errors))
	}
	if diff := cmp.Diff([]string{"b c.d 1 0", "x 0 1", "a c.d 0 0", "a not checked 0 0"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Tests != 2*len(reasons)+2 || got.Failures != 1 || got.Errors != 1 || got.Suites[1].Cases[0].Error == nil {
		t.Errorf("%s", out.String())
	}
}

// TestCleanFleet checks that nothing is called clean that was not read.
func TestCleanFleet(t *testing.T) {
	for want, f := range map[bool]*Fleet{
		true:  {Clusters: []Member{{Context: "a", Plan: &Plan{}}}},
		false: {Clusters: []Member{{Context: "a", Plan: &Plan{}}, {Context: "b", Error: "e"}}},
	} {
		var out strings.Builder
		if f.Table(&out); strings.Contains(out.String(), noFindings) != want || f.Failed() {
			t.Errorf("%s", out.String())
		}
	}
}

// TestEachIsBounded has more clusters than are read at once, and an interrupt.
func TestEachIsBounded(t *testing.T) {
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprint(i))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	var now, most, all atomic.Int32
	_, err := Each(ctx, names, 3, func(ctx context.Context, _ string) (*Plan, error) {
		defer now.Add(-1)
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		switch k := all.Add(1); {
		case k == 10:
			cancel(stop)
		case k > 10: // it has begun before the interrupt
			<-ctx.Done()
		}
		return &Plan{}, nil
	})
	if !errors.Is(err, stop) || most.Load() > 3 || all.Load() > 12 {
		t.Errorf("%v; %d at once, %d in all", err, most.Load(), all.Load())
	}
}
