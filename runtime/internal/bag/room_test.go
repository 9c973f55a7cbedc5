package bag_test

import (
	"fmt"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
)

// TestWithRoomCopiesSeldom makes room for a few entries, again and again. Bags that clients send
// may ask for that, and must not be copied each time.
func TestWithRoomCopiesSeldom(t *testing.T) {
	b := runtime.PropertyBag{}
	for i := range 100 {
		b[fmt.Sprint(i)] = runtime.JSON("1")
	}
	if n := testing.AllocsPerRun(10, func() { b = bag.WithRoom(b, 1) }); n > 0 {
		t.Errorf("room for one more entry takes %v allocations", n)
	}
	if wide := bag.WithRoom(b, 101); len(wide) != len(b) {
		t.Errorf("the bag has %d entries, want %d", len(wide), len(b))
	}
}
