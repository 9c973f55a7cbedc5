package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Action is what Apply does with a file.
type Action int

// The actions.
const (
	Keep Action = iota
	Create
	Update
	Remove
	// Stranger is a file that has the header of generated files, but is not generated. Apply leaves
	// it alone.
	Stranger

	vacate // a stale file is already gone; its folder may be empty
)

// String returns the action as one word.
func (a Action) String() string {
	return [...]string{"keep", "create", "update", "remove", "stranger", "vacate"}[a]
}

// MarshalText returns the action's word.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Change is the action for one file.
type Change struct {
	Path   string `json:"path"`
	Action Action `json:"action"`
	// Edited reports that the user has changed the generated file on disk.
	Edited bool `json:"edited,omitzero"`

	body     []byte
	isStaged bool // the file is on stage, and has no body
}

// Changes are all changes in an output folder, sorted by path.
type Changes struct {
	Dir string
	// List omits unchanged files.
	List []Change
	// Kept is the number of unchanged files.
	Kept int
	// Manifest is the new manifest. Outputs are all files that belong to Strata after the changes,
	// including manifest, ledger and golden files.
	Manifest *Manifest
	Outputs  []FileSum
	// Messages are warnings and notes about edited and stale files.
	Messages []diag.Message
	// Progress, if not nil, is called with the number of files that Apply has written, before the
	// first and after each; perhaps concurrently.
	Progress func(done, total int)

	vacated   []string   // paths of stale files that are already gone
	stage     *lazyStage // nil if no file is on stage
	isNowhere bool       // there are no bodies
}

func (c *Changes) add(file comparedFile) {
	c.Outputs = append(c.Outputs, FileSum{Path: file.Path, SHA256: file.sum})
	if file.Action == Keep {
		c.Kept++
		return
	}
	c.List = append(c.List, file.Change)
}

func (c *Changes) sort() {
	slices.SortFunc(c.List, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(c.Outputs, FileSum.compare)
	slices.SortFunc(c.Manifest.Files, FileSum.compare)
}

// Count returns the number of files of an action.
func (c *Changes) Count(action Action) int {
	if action == Keep {
		return c.Kept
	}
	n := 0
	for _, change := range c.List {
		if change.Action == action {
			n++
		}
	}
	return n
}

// Print writes one line for each change, as in --dry-run.
func (c *Changes) Print(w io.Writer) error {
	for _, change := range c.List {
		remark := ""
		if change.Edited {
			remark = " (edited by hand)"
		}
		if _, err := fmt.Fprintf(w, "%-8s %s%s\n", change.Action, change.Path, remark); err != nil {
			return err
		}
	}
	return nil
}

// Difference is how the disk differs from the output of a run.
type Difference string

// The differences.
const (
	Missing Difference = "missing"
	Changed Difference = "changed"
	Edited  Difference = "edited by hand"
	Stale   Difference = "stale"
	NotOurs Difference = "not made by any run"
)

// Drift is one finding of --check.
type Drift struct {
	Path string     `json:"path"`
	Kind Difference `json:"kind"`
}

// Drift returns the changes as findings: files that would be missing or different if this run had
// been the last one.
func (c *Changes) Drift() []Drift {
	var drift []Drift
	for _, change := range c.List {
		drift = append(drift, Drift{Path: change.Path, Kind: change.difference()})
	}
	return drift
}

func (c Change) difference() Difference {
	switch {
	case c.Action == Create:
		return Missing
	case c.Action == Remove:
		return Stale
	case c.Action == Stranger:
		return NotOurs
	case c.Edited:
		return Edited
	}
	return Changed
}
