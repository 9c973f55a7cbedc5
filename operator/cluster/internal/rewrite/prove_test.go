package rewrite

import (
	"errors"
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
