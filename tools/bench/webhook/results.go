package webhook

import (
	"context"
	"strings"
)

// Row has the cost of one case, as the program reports it.
type Row struct {
	// Transport is how the review is sent, as in "HTTP/2".
	Transport string
	// Objects is how many there are in a review, and Size about how many bytes each has.
	Objects, Size int
	// Steps is how far the version is from the hub; Up means that it is converted to the hub.
	Steps int
	Up    bool
	// Hidden describes the values that the version cannot represent, if there are any.
	Hidden string
	// CPU is the processor time of a review in nanoseconds, by the name of the handler.
	CPU map[string]float64
	// Ratio is how often that of plans goes into it.
	Ratio map[string]float64
	// Allocations is how many there were for a review.
	Allocations map[string]float64
}

// The names of the handlers.
const (
	Planned = "planned"
	Echo    = "echo"
	Typed   = "typed"
	Peer    = "controller-runtime"
)

const (
	inProcess = "in process"
	small     = 6_000
	large     = 36_000
)

// Results is all that was measured.
type Results struct {
	Rows   []Row
	Memory map[string]uint64
	Where  []Where
}

// Results measures the cases whose names match a regular expression, with so many rounds, and
// memory. For cases of which the report has a table, it measures where the time goes.
func (c *Contest) Results(ctx context.Context, only string, rounds int) (r Results, err error) {
	if r.Rows, err = c.Measure(ctx, only, rounds); err != nil {
		return r, err
	}
	if r.Memory, err = c.Memory(ctx); err != nil {
		return r, err
	}
	r.Where, err = c.whereOf(ctx, only)
	return r, err
}

func (r Row) direction() string {
	if r.Up {
		return "to the hub"
	}
	return "from the hub"
}

// overEcho is how often an echo goes into the time of plans.
func (r Row) overEcho() float64 { return 1 / r.Ratio[Echo] }

// overPeer is how often the time of plans goes into that of controller-runtime.
func (r Row) overPeer() float64 { return r.Ratio[Peer] }

// perObject is how many allocations plans make for one object more in a review, judged by the same
// case with one object.
func (r Results) perObject(row Row) float64 {
	one, ok := r.alike(row, 1)
	if !ok || row.Objects == 1 {
		return row.Allocations[Planned] / float64(row.Objects)
	}
	return (row.Allocations[Planned] - one.Allocations[Planned]) / float64(row.Objects-1)
}

// find returns the rows that a question is about.
func (r Results) find(about func(Row) bool) (rows []Row) {
	for _, row := range r.Rows {
		if about(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// alike returns the row of the same case with another number of objects.
func (r Results) alike(row Row, objects int) (Row, bool) {
	rows := r.find(func(other Row) bool {
		return other.Transport == row.Transport && other.Objects == objects && other.Size == row.Size &&
			other.Steps == row.Steps && other.Up == row.Up && other.Hidden == row.Hidden
	})
	if len(rows) == 0 {
		return Row{}, false
	}
	return rows[0], true
}

// isKept reports whether the connection of a row is kept for the next review.
func (r Row) isKept() bool {
	return r.Transport != inProcess && !strings.HasSuffix(r.Transport, "new connection") && !strings.HasSuffix(r.Transport, "resumed connection")
}

// visible returns the row of the same case without hidden values.
func (r Results) visible(row Row) (Row, bool) {
	if row.Hidden == "" {
		return Row{}, false
	}
	row.Hidden = ""
	return r.alike(row, row.Objects)
}

// overVisible is how often the time of plans for visible values goes into their time for a row with
// hidden values. Both are compared by their ratio to an echo, because they are of different rounds.
func (r Results) overVisible(row Row) float64 {
	of, _ := r.visible(row)
	return row.overEcho() / of.overEcho()
}
