package genruntime_test

import (
	"errors"
	"io"
	"maps"
	"sync"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

func TestPathsOfAugmentationErrors(t *testing.T) {
	err := error(&runtime.AugmentationError{Step: "AssignToPerson", Type: "v20130303.Person", Object: "crm/ann", Err: io.EOF})
	if want := "AssignToPerson of v20130303.Person on crm/ann: EOF"; err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
	if !errors.Is(err, io.EOF) {
		t.Error("what the step returned is not found")
	}
}

func TestObserversAreSetAndTakenAwayAtAnyTime(t *testing.T) {
	r := fixtures.Record(t)
	bag := "damaged"
	g := &fixtures.Gadget{Status: &fixtures.GadgetStatus{PropertyBag: &bag}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				fixtures.StoredOf(t, g)
			}
		})
	}
	all.Wait()
	if len(r.Events) != 400 {
		t.Errorf("told %d events", len(r.Events))
	}
	runtime.SetObserver(nil)
	fixtures.StoredOf(t, g)
	if len(r.Events) != 400 {
		t.Error("told when it was none any more")
	}
}

func TestCallersReportToObserver(t *testing.T) {
	r := fixtures.Record(t)
	runtime.Report(runtime.Event{What: runtime.RawKept, Path: "metadata"})
	if len(r.Events) != 1 || r.Events[0].Path != "metadata" {
		t.Errorf("told %v", r.Events)
	}
	runtime.SetObserver(nil)
	runtime.Report(runtime.Event{What: runtime.RawKept})
	if len(r.Events) != 1 {
		t.Error("told when it was none any more")
	}
}

// tally is an observer that counts.
type tally struct {
	fixtures.Recorder
	parts map[runtime.Part]int
}

func (c *tally) Count(part runtime.Part) { c.parts[part]++ }

func TestCountersCountEachConversion(t *testing.T) {
	c := &tally{parts: map[runtime.Part]int{}}
	runtime.SetObserver(c)
	t.Cleanup(func() { runtime.SetObserver(nil) })
	for _, test := range []struct {
		reason  string
		convert func()
		want    map[runtime.Part]int
	}{
		{"an object to storage", func() { fixtures.StoredOf(t, &fixtures.Gadget{Status: &fixtures.GadgetStatus{}}) }, map[runtime.Part]int{runtime.WholeObject: 1}},
		{"a spec to the hub", func() { convertSpec(t, &spec[v1]{"v1:ann"}, &hubSpec{}) }, map[runtime.Part]int{runtime.SpecAlone: 1}},
		{"a spec of one version to another, through the hub", func() { convertSpec(t, &spec[v1]{"v1:ann"}, &spec[v2]{}) }, map[runtime.Part]int{runtime.SpecAlone: 2}},
		{"a status from the hub", func() {
			if err := (&status[v1]{}).ConvertStatusFrom(&hubStatus{}); err != nil {
				t.Fatal(err)
			}
		}, map[runtime.Part]int{runtime.StatusAlone: 1}},
		{"a spec to its own type, which is none", func() { convertSpec(t, &spec[v1]{"v1:ann"}, &spec[v1]{}) }, map[runtime.Part]int{}},
	} {
		clear(c.parts)
		test.convert()
		if !maps.Equal(c.parts, test.want) {
			t.Errorf("%s: counted %v, want %v", test.reason, c.parts, test.want)
		}
	}
	runtime.SetObserver(&fixtures.Recorder{})
	clear(c.parts)
	convertSpec(t, &spec[v1]{"v1:ann"}, &hubSpec{})
	if len(c.parts) != 0 {
		t.Error("counted when another was the observer")
	}
}

func convertSpec(t *testing.T, src, dst runtime.ConvertibleSpec) {
	t.Helper()
	if err := src.ConvertSpecTo(dst); err != nil {
		t.Fatal(err)
	}
}
