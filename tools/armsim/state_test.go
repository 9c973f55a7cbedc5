package armsim

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestPastTakesNoRoom changes one of two resources again and again.
func TestPastTakesNoRoom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	s, err := openState(file, false)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := json.Marshal(strings.Repeat("x", 1<<20))
	for i := range 100 {
		r, number := s.next()
		r.Set = []*Resource{{ID: fmt.Sprintf("/subscriptions/S/r%d", i%2), ETag: etag(number), Body: body}}
		if err := s.commit(r); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() > 16<<20 {
		t.Errorf("after 100 MiB of changes of 2 MiB the file has %d bytes, %v", info.Size(), err)
	}
	s.file.Close()
	again, err := openState(file, false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.file.Close()
	if len(again.resources) != 2 || again.totals.Sequence != 100 || again.resources["/subscriptions/s/r1"].ETag != etag(100) {
		t.Errorf("%d resources, number %d", len(again.resources), again.totals.Sequence)
	}
}

// TestEveryPartComesBack writes records that use each of their members, and compares them with
// those that it reads again.
func TestEveryPartComesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	s, err := openState(file, true)
	if err != nil {
		t.Fatal(err)
	}
	resource := func(id, tag string) *Resource { return &Resource{ID: id, ETag: tag, Body: json.RawMessage(`{}`)} }
	for _, r := range []*record{
		{
			Set:        []*Resource{resource("/R/one", "1"), resource("/R/two", "1")},
			Operations: []*operation{{ID: "o1", Status: running}, {ID: "o2", Status: running}},
			Created:    map[string]int{"/r/one": 1, "/r/two": 2}, Removed: []string{"/g/one", "/g/two"},
			Totals: Totals{Sequence: 1, Puts: 2},
		},
		{
			Gone: []string{"/r/one", "/r/two"}, Set: []*Resource{resource("/R/TWO", "2")}, // which goes and comes again
			Forgotten: []string{"o1", "o2"}, Operations: []*operation{{ID: "o2", Status: succeeded}},
			Created: map[string]int{"/r/two": 3}, Returned: []string{"/g/one", "/g/none"},
			Totals: Totals{Sequence: 2, Puts: 3, Deletes: 1},
		},
	} {
		if err := s.commit(r); err != nil {
			t.Fatal(err)
		}
	}
	s.file.Close()
	again, err := openState(file, false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.file.Close()
	want := &state{
		resources:  map[string]*Resource{"/r/two": resource("/R/TWO", "2")},
		operations: map[string]*operation{"o2": {ID: "o2", Status: succeeded}},
		created:    map[string]int{"/r/one": 1, "/r/two": 3}, removed: map[string]bool{"/g/two": true},
		totals: Totals{Sequence: 2, Puts: 3, Deletes: 1}, file: again.file,
	}
	if !reflect.DeepEqual(again, want) {
		t.Errorf("got  %+v\nwant %+v", again, want)
	}
	if want.file = s.file; !reflect.DeepEqual(s, want) {
		t.Errorf("memory has %+v\nand should %+v", s, want)
	}
}
