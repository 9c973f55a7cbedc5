package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/analysis/explain"
	"github.com/stratakube/strata/generator/internal/engine"
)

func (a *app) explain() *cobra.Command {
	var flags flags
	format := newFormat(table, json, yaml)
	c := &cobra.Command{
		Use:   "explain KIND PATH",
		Short: "show where a property is in every version, and why",
		Long: "explain shows where a property is in every version: its name and type, or its key and shape in a\n" +
			"property bag. It also shows what each step towards the hub does with it.",
		Example: "  strata explain BatchAccountsPool properties.maxTasksPerNode\n  strata explain crm/Person spec.properties.alphaKey -o json",
		Args:    kindAndPath,
		RunE: func(c *cobra.Command, args []string) error {
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			r := engine.ExplainRequest{Request: request, Kind: args[0], Path: args[1]}
			result, err := within(c.Context(), func() (engine.ExplainResult, error) { return a.engine.Explain(c.Context(), r) })
			out := explainAnswer{result}
			return a.give(request, err, format, answer{table: out.table, document: out.document})
		},
	}
	flags.add(a, c)
	format.add(c)
	c.ValidArgsFunction = a.names(&flags.config, kindNames)
	return c
}

func kindAndPath(c *cobra.Command, args []string) error {
	if len(args) != 2 {
		return wrongUsage(c, fmt.Errorf("%s takes a kind and the path of a property: %q", c.CommandPath(), args))
	}
	return nil
}

// explainAnswer prints the result of strata explain in each format.
type explainAnswer struct{ engine.ExplainResult }

// table prints a block for every property, and in it a line for every version, or for several
// equal ones that follow one another.
func (r explainAnswer) table(b *strings.Builder) {
	for _, p := range r.Properties {
		fmt.Fprintf(b, "%s/%s %s\n", r.Group, r.Kind, p.Path)
		var rows [][]string
		for left := p.Rows; len(left) > 0; {
			n := alike(left)
			versions := left[0].Version
			if n > 1 {
				versions += " to " + left[n-1].Version
			}
			rows = append(rows, []string{"  " + versions, where(left[0]), onwards(left[n-1])})
			left = left[n:]
		}
		columns(b, rows)
	}
}

// alike counts the first rows that print the same line.
func alike(rows []explain.Row) int {
	n := 1
	for n < len(rows) && isAlike(rows[0], rows[n]) {
		n++
	}
	return n
}

func isAlike(a, b explain.Row) bool {
	return a.Hub == b.Hub && a.Leaf == b.Leaf && (!a.Leaf || a.Next == b.Next) && where(a) == where(b) && a.Step == b.Step && a.Why == b.Why
}

// where returns the path of the property in a version.
func where(row explain.Row) string {
	if row.Moved != "" {
		text := "moved: " + row.Moved
		if row.Moved = ""; row.State != explain.Nowhere {
			text += "; as it was, " + where(row)
		}
		return text
	}
	switch row.State {
	case explain.Live:
		more := ""
		if row.Required {
			more = ", required"
		}
		if row.Secret {
			more += ", secret"
		}
		return fmt.Sprintf("%s (%s%s)", row.Path, row.Type, more)
	case explain.Away:
		return "in the bag of " + owner(row) + ", " + entries(row.Bag)
	case explain.Within:
		return "within the bag of " + owner(row) + ", " + entries(row.Bag)
	}
	return "nowhere"
}

func owner(row explain.Row) string {
	if row.Path == "" {
		return "the root"
	}
	return row.Path
}

func entries(bag []explain.Bag) string {
	var out []string
	for _, e := range bag {
		what := "key"
		if e.Old {
			what = "the old key"
		}
		out = append(out, fmt.Sprintf("%s %q (%s, of %s)", what, e.Key, e.Type, e.Since))
	}
	return strings.Join(out, " or ")
}

// onwards describes the step towards the hub.
func onwards(row explain.Row) string {
	switch {
	case row.Hub:
		return "the hub"
	case row.Step == "":
		return "to " + row.Next
	case row.Why == "":
		return fmt.Sprintf("to %s: %s", row.Next, row.Step)
	}
	return fmt.Sprintf("to %s: %s: %s", row.Next, row.Step, row.Why)
}

func (r explainAnswer) document(end ending) any {
	return struct {
		ending
		Group      string             `json:"group"`
		Kind       string             `json:"kind"`
		Properties []explain.Property `json:"properties"`
	}{end, r.Group, r.Kind, append([]explain.Property{}, r.Properties...)}
}
