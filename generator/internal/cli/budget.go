package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/stratakube/strata/generator/internal/engine"
)

// mostNamed is how many definitions the budget names in any case.
const mostNamed = 3

// printBudget prints the largest definitions, all that are near their limit, and
// what to do about these. Definitions are sorted, the largest first.
func printBudget(w io.Writer, definitions []engine.CRDSize) {
	if len(definitions) == 0 {
		return
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "CRD\tBYTES\tOF LIMIT\tVERSIONS\tDESCRIPTIONS")
	near, stated := 0, 0
	for i, d := range definitions {
		if d.Near {
			near++
			if d.ServedBySource {
				stated++
			}
		} else if i >= mostNamed {
			break
		}
		fmt.Fprintf(columns, "%s\t%d\t%d %%\t%s\t%s\n", d.Name, d.Bytes, d.Bytes*100/max(d.Limit, 1), shape(d), d.Descriptions)
	}
	_ = columns.Flush() // to memory
	if near > stated {
		fmt.Fprintf(w, "near the limit: %d of %d; serve fewer versions with versions.serve, or stop serving some with versions.unserve\n", near-stated, len(definitions))
	}
	if stated > 0 {
		fmt.Fprintf(w, "near the limit: %d of %d; their sources state what is served: prune versions in which no object is stored, with versions.prune\n", stated, len(definitions))
	}
}

// shape returns how many versions there are, and the largest of them.
func shape(d engine.CRDSize) string {
	var largest engine.CRDVersionSize
	for _, v := range d.Versions {
		if v.Bytes > largest.Bytes {
			largest = v
		}
	}
	return fmt.Sprintf("%d, at most %d in %s", len(d.Versions), largest.Bytes, largest.Name)
}
