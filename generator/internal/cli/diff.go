package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/sarif"
)

func (a *app) diff() *cobra.Command {
	var flags flags
	fail := new(failOn)
	format := newFormat(table, markdown, json, yaml, sarifs)
	var docs bool
	var rule string
	c := &cobra.Command{
		Use:   "diff [OLD NEW]",
		Short: "list what has changed between two schema trees, revisions or versions",
		Long: "diff lists what has changed, and what each change breaks: stored data, clients, writes of new\n" +
			"values, or nothing. Each change has a rule; --explain prints what one means.\n\n" +
			"OLD and NEW are each a folder of schemas, or one in a git revision (main:schemas). With --config\n" +
			"they may be two revisions, whose schemas are the sources of the configuration, or two versions.\n" +
			"With --config only, or with neither in a folder that has a strata.yaml, every version is compared\n" +
			"with the one before it.",
		Example: "  strata diff\n  strata diff --explain limit-narrower\n  strata diff main:schemas schemas --fail-on clients\n" +
			"  strata diff --config strata.yaml v1.2.0 HEAD\n" +
			"  strata diff --config strata.yaml 2019-08-01 2022-01-01 --only 'Microsoft.Batch/**' -o markdown",
		Args: twoOrNone,
		RunE: func(c *cobra.Command, args []string) error {
			if rule != "" {
				return a.explainRule(c, rule, format, args)
			}
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			if !c.Flags().Changed("config") && (len(args) > 0 || !exists(request.Config)) {
				request.Config = ""
			}
			r := engine.DiffRequest{Request: request, Docs: docs}
			if len(args) == 2 {
				r.Old, r.New = args[0], args[1]
			}
			result, err := within(c.Context(), func() (engine.DiffResult, error) { return a.engine.Diff(c.Context(), r) })
			return a.give(request, err, format, diffAnswer{result}.answer(r, fail))
		},
	}
	flags.add(a, c)
	c.Flags().Lookup("config").Usage = "a configuration, for its sources and renames"
	c.Flags().Lookup("config").DefValue = ""
	format.add(c)
	c.Flags().Var(fail, "fail-on", "exit with 1 if a change breaks this, or more: new-writes, clients, or stored-data")
	completeFlag(c, "fail-on", fixed("new-writes", "clients", "stored-data"))
	c.Flags().BoolVar(&docs, "docs", false, "also list changes of descriptions")
	c.Flags().StringVar(&rule, "explain", "", "print what a `rule` means, by its name or identifier, and compare nothing")
	completeFlag(c, "explain", fixed(ruleNames()...))
	return c
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// twoOrNone refuses to compare one thing, or more than two.
func twoOrNone(c *cobra.Command, args []string) error {
	if len(args) != 0 && len(args) != 2 {
		return wrongUsage(c, fmt.Errorf("%s takes the old and the new schemas, or nothing: %q", c.CommandPath(), args))
	}
	return nil
}

// failOn is the severity from which on changes fail the command; zero for none.
type failOn struct{ severity diff.Severity }

// String gives the flag's value, empty where it is not set.
func (f *failOn) String() string {
	if f.severity == diff.None {
		return ""
	}
	return f.severity.String()
}

// Type names the values in the help text.
func (f *failOn) Type() string { return "new-writes|clients|stored-data" }

// Set takes the flag's value.
func (f *failOn) Set(text string) error {
	severity, err := diff.ParseSeverity(text)
	if err == nil && severity == diff.None {
		return fmt.Errorf("must be new-writes, clients or stored-data")
	}
	f.severity = severity
	return err
}

// diffAnswer prints the result of strata diff in each format.
type diffAnswer struct{ engine.DiffResult }

func (r diffAnswer) answer(request engine.DiffRequest, fail *failOn) answer {
	out := answer{
		table: r.table, document: r.document,
		markdown: func() []byte { return diff.Markdown(title(request), r.Comparisons) },
		sarif:    func() ([]byte, error) { return r.sarif(request.Request) },
	}
	if fail.severity > diff.None && diff.Worst(r.Comparisons) >= fail.severity {
		m := diag.Errorf(diag.Pos{}, "%s", r.count())
		out.finding = &m
	}
	return out
}

func title(r engine.DiffRequest) string {
	if r.Old == "" {
		return "Changes"
	}
	return fmt.Sprintf("Changes from %s to %s", r.Old, r.New)
}

func (r diffAnswer) count() string {
	n := diff.Count(r.Comparisons)
	total := n[diff.None] + n[diff.NewWrites] + n[diff.Clients] + n[diff.StoredData]
	writes := ""
	if n[diff.NewWrites] > 0 {
		writes = fmt.Sprintf("%d break new writes, ", n[diff.NewWrites])
	}
	return fmt.Sprintf("%s: %s%d break clients, %d break stored data", counted(total, "change", "changes"), writes, n[diff.Clients], n[diff.StoredData])
}

// table prints a block for every comparison.
func (r diffAnswer) table(b *strings.Builder) {
	for _, c := range r.Comparisons {
		fmt.Fprintf(b, "%s %s\n", c.Resource, c.Title())
		var rows [][]string
		for _, one := range c.Changes {
			rows = append(rows, nonEmpty("  "+one.Severity.String(), one.Kind.String(), one.Path, one.Detail()))
		}
		columns(b, rows)
	}
	fmt.Fprintln(b, r.count())
}

func (r diffAnswer) document(end ending) any {
	return struct {
		ending
		Breaks      diff.Severity     `json:"breaks"`
		Comparisons []diff.Comparison `json:"comparisons"`
	}{end, diff.Worst(r.Comparisons), append([]diff.Comparison{}, r.Comparisons...)}
}

var levels = [...]sarif.Level{diff.None: sarif.Note, diff.NewWrites: sarif.Warning, diff.Clients: sarif.Warning, diff.StoredData: sarif.Error}

func (r diffAnswer) sarif(request engine.Request) ([]byte, error) {
	var results []sarif.Result
	has := map[string]bool{}
	for _, c := range r.Comparisons {
		for _, one := range c.Changes {
			rule := one.Kind.Rule().ID
			has[rule] = true
			text := strings.Join(nonEmpty(c.Resource, c.Title(), one.Kind.String(), one.Path, one.Detail()), " ")
			results = append(results, located(request, sarif.Result{Rule: rule, Level: levels[one.Severity], Text: text}, r.At(one.Pos)))
		}
	}
	var rules []sarif.Rule
	for _, rule := range diff.Rules() {
		if has[rule.ID] {
			rules = append(rules, sarif.Rule{ID: rule.ID, Text: rule.Text + " " + rule.Effect})
		}
	}
	return sarif.Encode(rules, results)
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}
