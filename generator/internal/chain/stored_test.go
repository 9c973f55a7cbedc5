package chain_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/chain"
)

// TestKeyTable compares names and keys with a table that the runtime's tests read too: the
// runtime derives the same keys for members that no schema names. No property has the key of
// additional members.
func TestKeyTable(t *testing.T) {
	table, err := os.ReadFile("../../../runtime/genruntime/testdata/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var cells [3]string
		for i, cell := range strings.Split(strings.TrimSpace(line), "\t") {
			if cells[i], err = strconv.Unquote(cell); err != nil {
				t.Fatalf("%s: %v", cell, err)
			}
		}
		if stored := chain.StoredName(cells[0]); stored != cells[1] {
			t.Errorf("%q is stored as %q, want %q", cells[0], stored, cells[1])
		}
		if key := chain.MemberKey(cells[0]); key != cells[2] && cells[0] != chain.AdditionalName {
			t.Errorf("the key of %q is %q, want %q", cells[0], key, cells[2])
		}
	}
}
