package reconciler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestWarnings is a table over halts. Users are warned once of some, and not of those that end by
// themselves.
func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		reason string
		fails  func(fakeprovider.Call) error
		before func(*world)
		want   int
	}{
		{"a failure", failing("Observe", v2.Reason_REASON_TRANSIENT), nil, 1},
		{"what needs a change", failing("Apply", v2.Reason_REASON_INVALID), nil, 1},
		{"an operation that takes long", nil, func(w *world) { w.cloud.Slow(9, false) }, 0},
		{"a Secret that is not there yet", nil, func(w *world) { w.annotate("Person", "ada", annotation.Credentials, "none") }, 0},
		{"nothing", nil, func(w *world) { w.pass("Person", "ada") }, 0},
		{"an API that does not answer for a while", failing("", v2.Reason_REASON_TRANSIENT), func(w *world) { w.pass("Person", "ada") }, 0},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.object("Person", "ada", person())
			if test.before != nil {
				test.before(w)
			}
			w.cloud.Before(test.fails)
			for range 3 {
				w.pass("Person", "ada")
			}
			reported := w.reported()
			if n := strings.Count(reported, reconciler.Warning+" "); n != test.want {
				t.Errorf("there are %d warnings, want %d: %s", n, test.want, reported)
			}
		})
	}
}

// TestAnotherReasonIsAnotherWarning covers failures for two reasons, and one after the object was
// Ready.
func TestAnotherReasonIsAnotherWarning(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	warns := func(reason string, fail v2.Reason, want int) {
		t.Helper()
		w.cloud.Before(failing("Apply", fail))
		w.pass("Person", "ada")
		w.pass("Person", "ada")
		if n := strings.Count(w.reported(), reconciler.Warning+" "); n != want {
			t.Errorf("%s: there are %d warnings, want %d", reason, n, want)
		}
	}
	warns("the first", v2.Reason_REASON_INVALID, 1)
	warns("the same", v2.Reason_REASON_INVALID, 0)
	warns("another", v2.Reason_REASON_UNAUTHORIZED, 1)
	w.cloud.Before(nil)
	w.pass("Person", "ada")
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.SetGeneration(2)
		u.Object["spec"].(map[string]any)["location"] = "north"
	})
	w.reported()
	warns("after it was Ready", v2.Reason_REASON_UNAUTHORIZED, 1)
}

// TestEventsAreShort covers an answer of the API that is longer than an event may be.
func TestEventsAreShort(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.cloud.Before(func(fakeprovider.Call) error {
		return fakeprovider.Fail(v2.Reason_REASON_INVALID, strings.Repeat("\u00e9", 4000), 0)
	})
	w.pass("Person", "ada")
	if reported := strings.TrimSpace(w.reported()); len(reported) > 1000+len("Warning Invalid ") || len(reported) < 900 || !strings.HasSuffix(reported, "\u00e9") {
		t.Errorf("an event has %d bytes: %q", len(reported), reported)
	}
}

// TestEventsOfPasses checks that one event reports whether a resource was created,
// changed or found, even if its operation takes long.
func TestEventsOfPasses(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(2, false)
	w.object("Person", "ada", person())
	tells := func(reason string, want ...string) {
		t.Helper()
		for range 4 {
			w.pass("Person", "ada")
		}
		var got []string
		for line := range strings.Lines(w.reported()) {
			got = append(got, strings.Join(strings.Fields(line)[:2], " "))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: the events are %q, want %q", reason, got, want)
		}
	}
	tells("it is made slowly", "Normal Created")
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
	tells("it is changed slowly", "Normal Applied")
	w.cloud.Slow(0, false)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "west" })
	tells("it is changed at once", "Normal Applied")
	w.cloud.Put(ada, namedKing)
	tells("it has drifted", "Normal DriftCorrected")
	w.cloud.Remove(ada)
	tells("it is gone", "Normal Gone", "Normal Created")
	tells("nothing")
}

// TestDriftIsCounted checks the count of observations that find drift of the applied spec.
func TestDriftIsCounted(t *testing.T) {
	w := newWorld(t)
	registry := prometheus.NewRegistry()
	counts, err := reconciler.NewCounts(registry)
	if err != nil {
		t.Fatal(err)
	}
	w.options.Counts = counts
	w.all["Person"] = reconciler.New(w.kind("Person"), w.options)
	counted := func(reason string, want float64) {
		t.Helper()
		w.pass("Person", "ada")
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if labels := fmt.Sprint(m.GetLabel()); !strings.Contains(labels, "crm.example.com") || !strings.Contains(labels, `"Person"`) {
					t.Errorf("it counts %s", labels)
				}
				got += m.GetCounter().GetValue()
			}
		}
		if got != want {
			t.Errorf("%s: drift is counted %v times, want %v", reason, got, want)
		}
	}
	w.object("Person", "ada", person())
	counted("it is made", 0)
	counted("it is in sync", 0)
	w.cloud.Put(ada, namedKing)
	counted("it has drifted", 1)
	counted("it is in sync again", 1)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["location"] = "north"
	})
	counted("the object has changed", 1)
	w.cloud.Remove(ada)
	counted("it is gone", 1)
}

// TestManyChildren checks that messages name some of the children that hold up a deletion, and
// the number of the others.
func TestManyChildren(t *testing.T) {
	for count, want := range map[int]string{1: "PersonsNote note-0", 5: "PersonsNote note-4", 6: "PersonsNote note-4 and 1 more"} {
		w := newWorld(t)
		made(w)
		for i := range count {
			w.object("PersonsNote", fmt.Sprint("note-", i), note("ada"))
			w.pass("PersonsNote", fmt.Sprint("note-", i))
		}
		w.object("PersonsNote", "of-an-identifier", map[string]any{"owner": map[string]any{"name": "ada", "armId": "/elsewhere"}})
		w.delete("Person", "ada")
		result := w.pass("Person", "ada")
		if c := w.condition("Person", "ada", reconciler.Ready); c.Reason != "HasChildren" || !strings.HasSuffix(c.Message, want) {
			t.Errorf("with %d children it says %q, want %q at its end", count, c.Message, want)
		}
		if result.RequeueAfter <= 0 || result.RequeueAfter > time.Minute { // a watch reports their end, but not released claims
			t.Errorf("it looks again after %v", result.RequeueAfter)
		}
	}
}

// TestChildrenElsewhere covers a child in another namespace, which messages do not name.
func TestChildrenElsewhere(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.there("PersonsNote", "first", below(ada))
	w.passThere("PersonsNote", "first")
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if c := w.condition("Person", "ada", reconciler.Ready); !strings.HasSuffix(c.Message, ": an object in another namespace") {
		t.Errorf("it says %q", c.Message)
	}
}
