package armsim

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJournalIsMadeSmall changes one resource until most of the journal is past.
func TestJournalIsMadeSmall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	s, err := openState(file)
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
	if err != nil || info.Size() > compactAbove+2<<20 {
		t.Errorf("after 100 MiB of changes of 2 MiB the journal has %d bytes, %v", info.Size(), err)
	}
	s.file.Close()
	again, err := openState(file)
	if err != nil {
		t.Fatal(err)
	}
	defer again.file.Close()
	if len(again.resources) != 2 || again.totals.Sequence != 100 || again.resources["/subscriptions/s/r1"].ETag != etag(100) {
		t.Errorf("%d resources, number %d", len(again.resources), again.totals.Sequence)
	}
}
