package hidden

import (
	"testing"

	"github.com/stratakube/strata/runtime/internal/fingerprint"
)

// TestChosenPlacesSpread records lists at places that would have neighbouring slots if their hash
// were known. A client that chooses such places must not make the slots one long row, which each
// search would walk along.
func TestChosenPlacesSpread(t *testing.T) {
	const lists, longest = 4 << 10, 1 << 10
	var m listMemory[jsonList]
	m.makeSlots(4 * lists)
	count := uint64(len(m.slots))
	for at := jsonList(0); len(m.lists) < lists; at++ {
		if fingerprint.Mix(uint64(at))%count < count/64 {
			m.record(listPrints[jsonList]{key: at})
		}
	}
	row := 0
	for _, slot := range m.slots {
		if row++; slot == 0 {
			row = 0
		}
		if row > longest {
			t.Fatalf("a row of %d of %d slots is taken", row, count)
		}
	}
}
