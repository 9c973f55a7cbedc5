package webhook

import "context"

// Row has the cost of one case, as the program reports it.
type Row struct {
	// Transport is "in process", "HTTP/2" or "HTTP/1.1".
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
}

// Results measures the cases whose names match a regular expression, with so many rounds, and
// memory.
func (c *Contest) Results(ctx context.Context, only string, rounds int) (r Results, err error) {
	if r.Rows, err = c.Measure(ctx, only, rounds); err != nil {
		return r, err
	}
	r.Memory, err = c.Memory(ctx)
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
