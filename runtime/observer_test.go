package runtime

import (
	"errors"
	"io"
	"sync"
	"testing"
)

func TestAugmentationErrorsSayWhere(t *testing.T) {
	err := error(&AugmentationError{Step: "AssignToPerson", Type: "v20130303.Person", Object: "crm/ann", Err: io.EOF})
	if want := "AssignToPerson of v20130303.Person on crm/ann: EOF"; err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
	if !errors.Is(err, io.EOF) {
		t.Error("what the step returned is not found")
	}
}

func TestObserversAreSetAndTakenAwayAtAnyTime(t *testing.T) {
	r := record(t)
	bag := "damaged"
	g := &gadget{Status: &gadgetStatus{PropertyBag: &bag}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				storedOf(t, g)
			}
		})
	}
	all.Wait()
	if len(r.events) != 400 {
		t.Errorf("told %d events", len(r.events))
	}
	SetObserver(nil)
	storedOf(t, g)
	if len(r.events) != 400 {
		t.Error("told when it was none any more")
	}
}

func TestCallersReportToTheObserver(t *testing.T) {
	r := record(t)
	Report(Event{What: RawKept, Path: "metadata"})
	if len(r.events) != 1 || r.events[0].Path != "metadata" {
		t.Errorf("told %v", r.events)
	}
	SetObserver(nil)
	Report(Event{What: RawKept})
	if len(r.events) != 1 {
		t.Error("told when it was none any more")
	}
}
