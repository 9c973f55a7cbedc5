package genruntime_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// TestKeyTable compares names and keys with a table. The generator's tests read the same table,
// because it plans with the same rules.
func TestKeyTable(t *testing.T) {
	table, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		var cells [3]string
		for i, cell := range strings.Split(strings.TrimSpace(line), "\t") {
			if cells[i], err = strconv.Unquote(cell); err != nil {
				t.Fatalf("%s: %v", cell, err)
			}
		}
		stored := bag.StoredName(cells[0])
		if stored != cells[1] {
			t.Errorf("%q is stored as %q, want %q", cells[0], stored, cells[1])
		}
		if key := bag.MemberKey(stored); key != cells[2] {
			t.Errorf("the key of %q is %q, want %q", cells[0], key, cells[2])
		}
	}
	if rows < len(fixtures.OddNames) {
		t.Errorf("the table has %d rows, less than there are odd names", rows)
	}
}
