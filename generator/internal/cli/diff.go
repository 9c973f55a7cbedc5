package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/sarif"
)

func (a *app) diff() *cobra.Command {
	var flags flags
	fail := new(failOn)
	format := newFormat(table, markdown, json, yaml, sarifs)
	var docs bool
	var rule, known, cluster string
	var named ends
	c := &cobra.Command{
		Use:   "diff [OLD [NEW]]",
		Short: "list what has changed between two schema trees, revisions or versions",
		Long: "diff lists what has changed, and what each change breaks: stored data, clients, writes of new\n" +
			"values, or nothing. Each change has a rule; --explain prints what one means.\n\n" +
			"OLD and NEW are each a folder of schemas, one in a git revision (main:schemas), or the CRDs of a\n" +
			"cluster (kube://CONTEXT). With --config they may be two revisions, whose schemas are the sources of\n" +
			"the configuration, or two versions; without NEW, a revision is compared with the files on disk.\n" +
			"The flags --from and --to can name them instead.\n" +
			"With --config only, or with neither in a folder that has a strata.yaml, every version is compared\n" +
			"with the one before it.",
		Example: "  strata diff\n  strata diff --explain limit-narrower\n  strata diff main:schemas schemas --fail-on clients\n" +
			"  strata diff --config strata.yaml v1.2.0 HEAD\n  strata diff kube://production api/crds --cluster production\n" +
			"  strata diff --config strata.yaml 2019-08-01 2022-01-01 --only 'Microsoft.Batch/**' -o markdown",
		Args: named.check,
		RunE: func(c *cobra.Command, args []string) error {
			if rule != "" {
				return a.explainRule(c, rule, format, args)
			}
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			args = named.of(args)
			if !c.Flags().Changed("config") && (len(args) > 0 || !exists(request.Config)) {
				request.Config = ""
			}
			r := engine.DiffRequest{Request: request, Docs: docs, Baseline: known, Usage: c.Flags().Changed("cluster"), Context: cluster, Cluster: a.askCluster}
			if len(args) > 0 {
				r.Old = args[0]
			}
			if len(args) > 1 {
				r.New = args[1]
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
	addBaseline(c, &known)
	c.Flags().StringVar(&cluster, "cluster", "", "count the objects that set what has changed, in the cluster of a kubeconfig `context`, or of the current one with \"\"")
	c.Flags().BoolVar(&docs, "docs", false, "also list changes of descriptions")
	c.Flags().StringVar(&rule, "explain", "", "print what a `rule` means, by its name or identifier, and compare nothing")
	completeFlag(c, "explain", fixed(finding.Words()...))
	c.Flags().StringVar(&named.from, "from", "", "`OLD`, as a flag")
	c.Flags().StringVar(&named.to, "to", "", "`NEW`, as a flag")
	return c
}

// ends are OLD and NEW of strata diff, as flags.
type ends struct{ from, to string }

// of returns OLD and NEW, which stand in arguments or in flags.
func (e *ends) of(args []string) []string {
	switch {
	case e.to != "":
		return []string{e.from, e.to}
	case e.from != "":
		return []string{e.from}
	}
	return args
}

// check refuses OLD and NEW both as arguments and as flags, --to alone, and what [twoOrNone]
// refuses.
func (e *ends) check(c *cobra.Command, args []string) error {
	switch {
	case len(args) > 0 && (e.from != "" || e.to != ""):
		return wrongUsage(c, fmt.Errorf("%s takes OLD and NEW either as arguments or as --from and --to: %q", c.CommandPath(), args))
	case e.to != "" && e.from == "":
		return wrongUsage(c, fmt.Errorf("%s --to needs --from", c.CommandPath()))
	}
	return twoOrNone(c, e.of(args))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// twoOrNone refuses to compare one thing, unless there is a configuration, or more than two.
func twoOrNone(c *cobra.Command, args []string) error {
	if len(args) > 2 || len(args) == 1 && !c.Flags().Changed("config") {
		return wrongUsage(c, fmt.Errorf("%s takes the old and the new schemas, or nothing: %q", c.CommandPath(), args))
	}
	return nil
}

var errFailOn = errors.New("must be new-writes, clients or stored-data")

// failOn is the severity from which on changes fail the command; zero for none.
type failOn struct{ severity finding.Severity }

// String gives the flag's value, empty where it is not set.
func (f *failOn) String() string {
	if f.severity == finding.None {
		return ""
	}
	return f.severity.String()
}

// Type names the values in the help text.
func (f *failOn) Type() string { return "new-writes|clients|stored-data" }

// Set takes the flag's value.
func (f *failOn) Set(text string) error {
	severity, err := finding.ParseSeverity(text)
	if err != nil || severity == finding.None {
		return errFailOn
	}
	f.severity = severity
	return nil
}

// diffAnswer prints the result of strata diff in each format.
type diffAnswer struct{ engine.DiffResult }

func (r diffAnswer) answer(request engine.DiffRequest, fail *failOn) answer {
	out := answer{
		table: r.table, document: r.document,
		markdown: func() []byte { return diff.Markdown(title(request), r.Comparisons) },
		sarif:    func() ([]byte, error) { return r.sarif(request.Request) },
	}
	if fail.severity > finding.None && diff.Worst(r.Comparisons) >= fail.severity {
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
	total := n[finding.None] + n[finding.NewWrites] + n[finding.Clients] + n[finding.StoredData]
	writes := ""
	if n[finding.NewWrites] > 0 {
		writes = fmt.Sprintf("%d break new writes, ", n[finding.NewWrites])
	}
	return fmt.Sprintf("%s: %s%d break clients, %d break stored data", counted(total, "change", "changes"), writes, n[finding.Clients], n[finding.StoredData])
}

// table prints a block for every comparison.
func (r diffAnswer) table(b *strings.Builder) {
	for _, c := range r.Comparisons {
		fmt.Fprintf(b, "%s %s\n", c.Resource, c.Title())
		var rows [][]string
		for _, one := range c.Changes {
			rows = append(rows, nonEmpty("  "+one.Severity.String(), one.Kind.String(), one.Path, one.Detail(), used(one.Usage)))
		}
		columns(b, rows)
		if c.Explorer != "" {
			fmt.Fprintf(b, "  see %s\n", c.Explorer)
		}
	}
	fmt.Fprintln(b, r.count())
	b.WriteString(discounted(number(r.Ignored), r.Known))
}

// used says how many objects set a property; empty if that is unknown.
func used(u *diff.Usage) string {
	if u == nil {
		return ""
	}
	return fmt.Sprintf("(set in %d of %s)", u.Uses, counted(u.Objects, "object", "objects"))
}

// number returns how many changes comparisons have.
func number(all []diff.Comparison) (n int) {
	for _, c := range all {
		n += len(c.Changes)
	}
	return n
}

func (r diffAnswer) document(end ending) any {
	return struct {
		ending
		Breaks      finding.Severity  `json:"breaks"`
		Comparisons []diff.Comparison `json:"comparisons"`
		Ignored     []diff.Comparison `json:"ignored,omitempty"`
		Known       int               `json:"known,omitzero"`
	}{end, diff.Worst(r.Comparisons), append([]diff.Comparison{}, r.Comparisons...), r.Ignored, r.Known}
}

var levels = [...]sarif.Level{finding.None: sarif.Note, finding.NewWrites: sarif.Warning, finding.Clients: sarif.Warning, finding.StoredData: sarif.Error}

func (r diffAnswer) sarif(request engine.Request) ([]byte, error) {
	var results []sarif.Result
	has := map[string]bool{}
	for _, c := range slices.Concat(r.Comparisons, r.Ignored) {
		for _, one := range c.Changes {
			rule := one.Kind.Rule().ID
			has[rule] = true
			text := strings.Join(nonEmpty(c.Resource, c.Title(), one.Kind.String(), one.Path, one.Detail()), " ")
			results = append(results, located(request, sarif.Result{
				Rule: rule, Level: levels[one.Severity], Text: text, Fingerprint: one.Fingerprint, Reason: one.Reason,
			}, r.At(one.Pos)))
		}
	}
	return sarif.Encode(sarifRules(func(r finding.Rule) bool { return has[r.ID] }), results)
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}
