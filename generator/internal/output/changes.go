package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Action is what is to be done with a file.
type Action int

// The actions.
const (
	Keep Action = iota
	Create
	Update
	Remove
	// Stranger is a file that claims to be generated and is not; nothing is done.
	Stranger

	vacate // a stale file is gone; its folder may be empty
)

// String is the action as one word.
func (a Action) String() string {
	return [...]string{"keep", "create", "update", "remove", "stranger", "vacate"}[a]
}

// MarshalText gives the action's word.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Change is what is to be done with one file.
type Change struct {
	Path   string `json:"path"`
	Action Action `json:"action"`
	// Edited says that people changed the generated file on disk.
	Edited bool `json:"edited,omitzero"`

	body []byte
}

// Changes is all that is to be done in an output folder, sorted by path.
type Changes struct {
	Dir string
	// List leaves out the files that stay as they are.
	List []Change
	// Kept counts those.
	Kept int
	// Manifest is the new manifest, Outputs all files that are ours once the
	// changes are applied: manifest, ledger and golden files too.
	Manifest *Manifest
	Outputs  []FileSum
	// Messages are warnings and notes on edited and stale files.
	Messages []diag.Message
	// Progress, if not nil, is told how many files Apply has written, before the first and after each; perhaps from
	// several goroutines.
	Progress func(done, total int)

	vacated []string // paths of stale files that are gone already
}

func (c *Changes) add(file File, s state) {
	c.Outputs = append(c.Outputs, FileSum{Path: file.Path, SHA256: s.sum})
	if s.change == Keep {
		c.Kept++
		return
	}
	c.List = append(c.List, Change{Path: file.Path, Action: s.change, Edited: s.edited, body: file.Body})
}

func (c *Changes) sort() {
	slices.SortFunc(c.List, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(c.Outputs, FileSum.compare)
	slices.SortFunc(c.Manifest.Files, FileSum.compare)
}

// Count tells how many files an action concerns.
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

// Bytes tells how much is to be written.
func (c *Changes) Bytes() int64 {
	n := int64(0)
	for _, change := range c.List {
		n += int64(len(change.body))
	}
	return n
}

// Print writes one line a change, as --dry-run shows them.
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

// Difference says how the disk differs from what a run would make.
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

// Drift gives the changes as findings: what would not be there, or would be
// otherwise, had the last run been this one.
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
