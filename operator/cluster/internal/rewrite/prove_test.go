package rewrite

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestObjectThatIsStoredAnew(t *testing.T) {
	for _, pruning := range []bool{false, true} {
		c := start([]*metav1.PartialObjectMetadata{thing("a")}, func(string, int) (*metav1.PartialObjectMetadata, error) {
			written := thing("a")
			written.ResourceVersion = "9" // each write stores it anew, although it is not past the marker in the next list
			return written, nil
		})
		_, _, err := Prove(t.Context(), Options{Client: c, Resource: things, Owners: owners(), Pace: NewPace(1000), Pause: time.Millisecond, Progress: func(Report, int64) {}}, "7", pruning)
		if !errors.Is(err, errWritten) {
			t.Errorf("pruning %t: %v", pruning, err)
		}
	}
}

// TestObjectsThatMarkersProve counts writes of objects around a marker. One whose resource version
// is the marker itself may have been written before the API servers settled. While pruning, one
// past the marker gets a write if its owners name a version that goes.
func TestObjectsThatMarkersProve(t *testing.T) {
	old := owner("m", "v1", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:name":{}}}`)
	for _, test := range []struct {
		reason, version string
		entries         []metav1.ManagedFieldsEntry
		pruning         bool
		writes          int // in each list
	}{
		{reason: "before the marker", version: "6", writes: 1},
		{reason: "the marker", version: "7", writes: 1},
		{reason: "past the marker", version: "8"},
		{reason: "past the marker, with an owner that goes", version: "8", entries: []metav1.ManagedFieldsEntry{old}},
		{reason: "past the marker, while pruning", version: "8", pruning: true},
		{reason: "past the marker, with an owner that goes, while pruning", version: "8", entries: []metav1.ManagedFieldsEntry{old}, pruning: true, writes: 1},
	} {
		m, writes := thing("a", test.entries...), 0
		m.ResourceVersion = test.version
		c := start([]*metav1.PartialObjectMetadata{m}, func(string, int) (*metav1.PartialObjectMetadata, error) {
			writes++
			written := thing("a")
			written.ResourceVersion = test.version
			for _, e := range test.entries {
				e.APIVersion = "example.com/v2"
				written.ManagedFields = append(written.ManagedFields, e)
			}
			return written, nil
		})
		o := owners()
		o.Serves = func(string) bool { return true }
		lists, report, err := Prove(t.Context(), Options{Client: c, Resource: things, Owners: o, Pace: NewPace(1000), Pause: time.Millisecond, Progress: func(Report, int64) {}}, "7", test.pruning)
		if err != nil || len(lists) != 2 || writes != 2*test.writes {
			t.Errorf("%s: %d writes in %d lists, want %d in each: %+v, %v", test.reason, writes, len(lists), test.writes, report, err)
		}
	}
}

// TestContinuedRun rewrites objects of which an earlier run has written some. Those that were
// written after the marker get no request, unless their owners name a version that goes.
func TestContinuedRun(t *testing.T) {
	old := owner("m", "v1", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:name":{}}}`)
	at := func(name, version string, entries ...metav1.ManagedFieldsEntry) *metav1.PartialObjectMetadata {
		m := thing(name, entries...)
		m.ResourceVersion = version
		return m
	}
	all := []*metav1.PartialObjectMetadata{at("before", "6"), at("marker", "7"), at("past", "8"), at("owned", "9", old), at("last", "10")}
	for marker, want := range map[string]struct {
		written   []string
		unchanged int
	}{
		"":  {[]string{"before", "last", "marker", "owned", "past"}, 0},
		"7": {[]string{"before", "marker", "owned"}, 2},
	} {
		var lock sync.Mutex
		var written []string
		c := start(all, func(name string, _ int) (*metav1.PartialObjectMetadata, error) {
			lock.Lock()
			defer lock.Unlock()
			written = append(written, name)
			m := at(name, "11")
			if name == "owned" {
				e := old
				e.APIVersion = "example.com/v2"
				m.ManagedFields = []metav1.ManagedFieldsEntry{e}
			}
			return m, nil
		})
		o := owners()
		o.Serves = func(string) bool { return true }
		report, err := Run(t.Context(), Options{Client: c, Resource: things, Owners: o, Pace: NewPace(1000), Marker: marker, Pause: time.Millisecond, Progress: func(Report, int64) {}})
		slices.Sort(written)
		if err != nil || !slices.Equal(written, want.written) || report.Objects != len(all) || report.Unchanged != want.unchanged || report.Written != len(want.written) {
			t.Errorf("marker %q: %q were written, want %q: %+v, %v", marker, written, want.written, report, err)
		}
	}
}
