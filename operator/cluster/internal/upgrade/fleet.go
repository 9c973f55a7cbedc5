package upgrade

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/stratakube/strata/operator/cluster/internal/terminal"
)

// Fleet has the plans of several clusters.
type Fleet struct {
	Clusters []Member `json:"clusters"`
}

// Member is the plan of a cluster, or why there is none.
type Member struct {
	Context string `json:"context"`
	Plan    *Plan  `json:"plan,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Each makes the plans of clusters, some of them at once. A cluster without a plan does not stop
// the others. The order is that of the names.
func Each(ctx context.Context, names []string, parallel int, plan func(ctx context.Context, name string) (*Plan, error)) (*Fleet, error) {
	f := &Fleet{Clusters: make([]Member, len(names))}
	room := make(chan struct{}, max(1, parallel))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			m := &f.Clusters[i]
			m.Context = name
			if ctx.Err() != nil {
				return
			}
			var err error
			if m.Plan, err = plan(ctx, name); err != nil {
				m.Plan, m.Error = nil, err.Error()
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return f, nil
}

// Unread returns the number of clusters without a plan.
func (f *Fleet) Unread() (n int) {
	for i := range f.Clusters {
		if f.Clusters[i].Plan == nil {
			n++
		}
	}
	return n
}

// any reports whether a plan has a property.
func (f *Fleet) any(is func(*Plan) bool) bool {
	for i := range f.Clusters {
		if p := f.Clusters[i].Plan; p != nil && is(p) {
			return true
		}
	}
	return false
}

// Failed reports whether a plan has findings.
func (f *Fleet) Failed() bool { return f.any((*Plan).Failed) }

// Incomplete reports whether something could not be checked.
func (f *Fleet) Incomplete() bool { return f.any((*Plan).Incomplete) }

// Table prints the plans as text, with a column for the cluster.
func (f *Fleet) Table(w io.Writer) { f.sheet().table(w) }

// Markdown prints the plans as [Fleet.Table] does, with tables of Markdown.
func (f *Fleet) Markdown(w io.Writer) { f.sheet().markdown(w) }

// JUnit prints the plans as results of tests. The names of suites begin with that of the cluster. A
// cluster without a plan is a suite with an error.
func (f *Fleet) JUnit(w io.Writer) error {
	var all []suite
	for i := range f.Clusters {
		m := &f.Clusters[i]
		if m.Plan != nil {
			all = append(all, m.Plan.suites(m.Context+" ")...)
			continue
		}
		all = append(all, suite{Name: m.Context, Tests: 1, Errors: 1, Cases: []testCase{{Class: m.Context, Name: "plan", Error: &failure{Message: m.Error}}}})
	}
	return printSuites(w, all)
}

// sheet joins the tables of the plans. The first of them is that of kinds, and has a line for each
// cluster without a plan, too.
func (f *Fleet) sheet() *sheet {
	const column = "CLUSTER"
	header := (&Plan{}).sheet()
	out := &sheet{kinds: prefixed(column, header.kinds), clean: f.Unread() == 0 && !f.Failed()}
	for _, rows := range header.tables {
		out.tables = append(out.tables, prefixed(column, rows))
	}
	unread := [][]string{{column, "CANNOT BE READ"}}
	for i := range f.Clusters {
		m := &f.Clusters[i]
		name := terminal.Line(m.Context)
		if m.Plan == nil {
			row := []string{name, "cannot be read"}
			for len(row) < len(out.kinds[0]) {
				row = append(row, "-")
			}
			out.kinds = append(out.kinds, row)
			unread = append(unread, []string{name, terminal.Line(m.Error)})
			continue
		}
		s := m.Plan.sheet()
		out.kinds = append(out.kinds, prefixed(name, s.kinds[1:])...)
		for _, line := range s.originals {
			out.originals = append(out.originals, fmt.Sprintf("%s: %s", name, line))
		}
		for j, rows := range s.tables {
			out.tables[j] = append(out.tables[j], prefixed(name, rows[1:])...)
		}
	}
	out.tables = append(out.tables, unread)
	return out
}

// prefixed puts a cell before each row.
func prefixed(cell string, rows [][]string) (out [][]string) {
	for _, row := range rows {
		out = append(out, append([]string{cell}, row...))
	}
	return out
}
