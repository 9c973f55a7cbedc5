package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/analysis/older"
	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/sarif"
	"github.com/stratakube/strata/generator/internal/secret"
)

func (a *app) check() *cobra.Command {
	var flags flags
	format := newFormat(table, json, yaml, sarifs)
	var r engine.CheckRequest
	c := &cobra.Command{
		Use:   "check",
		Short: "list removals, likely renames, changes and secrets that are not assessed",
		Long: "check lists properties that the next version does not have, and that have no entry in strata.yaml.\n" +
			"Likely renames, and changes that strata.yaml can declare, come first, each with the line to paste.\n" +
			"Then it lists properties that look like secrets, with the entries that mark them, and what a version\n" +
			"requires that objects of an older version can violate. It writes nothing. With check: {strict: true} in\n" +
			"strata.yaml it exits with 1 if it finds properties that are not assessed.",
		Example: "  strata check\n  strata check --only 'Microsoft.Batch/**' -o sarif",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			r.Request = request
			result, err := within(c.Context(), func() (engine.CheckResult, error) { return a.engine.Check(c.Context(), r) })
			return a.give(request, err, format, checkAnswer{result}.answer(request))
		},
	}
	flags.add(a, c)
	format.add(c)
	addBaseline(c, &r.Baseline)
	return c
}

// addBaseline adds the flag for findings of an earlier run.
func addBaseline(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "baseline", "", "a `file` that an earlier run wrote with -o json: only findings that it lacks count")
}

// discounted describes findings that do not count; empty if there are none.
func discounted(ignored, known int) string {
	var parts []string
	if ignored > 0 {
		parts = append(parts, fmt.Sprintf("strata.yaml ignores %d", ignored))
	}
	if known > 0 {
		parts = append(parts, fmt.Sprintf("the baseline has %d", known))
	}
	if len(parts) == 0 {
		return ""
	}
	return "not counted: " + strings.Join(parts, ", ") + "\n"
}

// checkAnswer prints the result of strata check in each format.
type checkAnswer struct{ engine.CheckResult }

func (r checkAnswer) answer(request engine.Request) answer {
	out := answer{table: r.table, document: r.document, sarif: func() ([]byte, error) { return r.sarif(request) }}
	if r.Strict && len(r.Findings)+len(r.Secrets) > 0 {
		m := diag.Errorf(diag.Pos{}, "%s, and the configuration wants check to be strict", r.count()).
			WithHint("look at each, and paste its line into %s", request.Config)
		out.finding = &m
	}
	return out
}

func (r checkAnswer) count() string {
	renames, changes := 0, 0
	for _, f := range r.Findings {
		switch {
		case f.IsRename():
			renames++
		case f.IsChange():
			changes++
		}
	}
	text := "not assessed: " + counted(renames, "likely rename", "likely renames")
	if changes > 0 {
		text += ", " + counted(changes, "likely change", "likely changes")
	}
	text += ", " + counted(len(r.Findings)-renames-changes, "removal", "removals")
	if len(r.Secrets) > 0 {
		text += ", " + counted(len(r.Secrets), "likely secret", "likely secrets")
	}
	return text
}

// table prints three lines for each finding: its kind, its position, and the lines to paste.
func (r checkAnswer) table(b *strings.Builder) {
	for _, f := range r.Findings {
		fmt.Fprintf(b, "%.2f  %s %s %s\n", f.Likelihood(), f.Group, f.Version, headline(f))
		fmt.Fprintf(b, "      %s: %s\n", strings.Join(f.Kinds, ", "), f.Path)
		if len(f.Candidates) > 0 {
			fmt.Fprintf(b, "      %s: %s\n", f.Candidates[0].Name, strings.Join(f.Candidates[0].Why, ", "))
		}
		fmt.Fprintf(b, "      %s:\n        %s\n", f.Below(), f.Line())
	}
	if len(r.Secrets) > 0 {
		fmt.Fprintf(b, "%s; add them below properties in strata.yaml, with secret: false for those that are not secret:\n", counted(len(r.Secrets), "likely secret", "likely secrets"))
	}
	for _, p := range r.Secrets {
		fmt.Fprintf(b, "        %s\n", p.Line())
	}
	r.olderTable(b)
	b.WriteString(discounted(len(r.Ignored), r.Known))
	if len(r.Findings)+len(r.Secrets) == 0 {
		b.WriteString("everything is assessed\n")
		return
	}
	fmt.Fprintln(b, r.count())
}

// mostOlder is how many requirements the table lists.
const mostOlder = 20

// olderTable prints the requirements that objects of older versions can violate: what and where,
// what mends it, and what to paste.
func (r checkAnswer) olderTable(b *strings.Builder) {
	if len(r.Older) == 0 {
		return
	}
	fmt.Fprintf(b, "%s of later versions that objects of earlier versions can violate:\n", counted(len(r.Older), "requirement", "requirements"))
	for _, f := range r.Older[:min(len(r.Older), mostOlder)] {
		fmt.Fprintf(b, "      %s/%s %s after %s: %s: %s: %s\n        %s\n", f.Group, f.Kind, f.Version, f.Older, plaintext.Line(f.Path), f.What, plaintext.Line(f.Text), plaintext.Line(f.Mend))
		if f.Line != "" {
			fmt.Fprintf(b, "          %s:\n            %s\n", plaintext.Line(f.Below), plaintext.Line(f.Line))
		}
	}
	if more := len(r.Older) - mostOlder; more > 0 {
		fmt.Fprintf(b, "      and %d more, with -o json\n", more)
	}
}

// headline returns the kind of a finding, in words.
func headline(f *removals.Finding) string {
	what := f.Type + "." + f.Property
	switch {
	case f.IsChange():
		return fmt.Sprintf("%s likely changes in %s: %s", what, f.Next, f.Candidates[0].Change)
	case f.IsRename():
		return fmt.Sprintf("%s is likely called %s in %s", what, f.Candidates[0].Name, cmp.Or(f.Candidates[0].Version, f.Next))
	case f.Returns != "":
		return fmt.Sprintf("%s is not in %s, and is back in %s", what, f.Next, f.Returns)
	}
	return fmt.Sprintf("%s is not in %s", what, f.Next)
}

func (r checkAnswer) document(end ending) any {
	type likely struct {
		*removals.Finding
		identity
		Likelihood float64 `json:"likelihood"`
		Below      string  `json:"below"`
		Line       string  `json:"line"`
	}
	findings := []likely{}
	for _, f := range r.Findings {
		findings = append(findings, likely{f, identityOf(f), f.Likelihood(), f.Below(), f.Line()})
	}
	type proposal struct {
		*secret.Proposal
		identity
		Line string `json:"line"`
	}
	secrets := []proposal{}
	for _, p := range r.Secrets {
		secrets = append(secrets, proposal{p, identityOf(p), p.Line()})
	}
	type requirement struct {
		*older.Finding
		identity
	}
	requirements := []requirement{}
	for _, f := range r.Older {
		requirements = append(requirements, requirement{f, identityOf(f)})
	}
	return struct {
		ending
		Strict   bool                    `json:"strict"`
		Findings []likely                `json:"findings"`
		Secrets  []proposal              `json:"secrets"`
		Older    []requirement           `json:"older"`
		Ignored  []engine.IgnoredFinding `json:"ignored,omitempty"`
		Known    int                     `json:"known,omitzero"`
	}{end, r.Strict, findings, secrets, requirements, r.Ignored, r.Known}
}

// identity is what tells a finding from others, in JSON.
type identity struct {
	Rule        string `json:"rule"`
	Fingerprint string `json:"fingerprint"`
}

func identityOf(f interface{ Subject() finding.Subject }) identity {
	s := f.Subject()
	return identity{s.Rule, s.Fingerprint}
}

// sarifRules returns the rules with some identifiers.
func sarifRules(has func(rule finding.Rule) bool) (out []sarif.Rule) {
	for _, r := range finding.Rules() {
		if has(r) {
			out = append(out, sarif.Rule{ID: r.ID, Text: r.Text + " " + r.Effect})
		}
	}
	return out
}

func (r checkAnswer) sarif(request engine.Request) ([]byte, error) {
	var results []sarif.Result
	for _, f := range r.Findings {
		one := result(f, sarif.Note)
		if f.IsRename() || f.IsChange() {
			one.Level = sarif.Warning
		}
		if r.Strict {
			one.Level = sarif.Error
		}
		one.Text = fmt.Sprintf("%s %s %s; below %s: %s", f.Group, f.Version, headline(f), f.Below(), f.Line())
		results = append(results, located(request, one, r.At(f.Pos)))
	}
	for _, p := range r.Secrets {
		one := result(p, sarif.Warning)
		if r.Strict {
			one.Level = sarif.Error
		}
		one.Text = fmt.Sprintf("%s %s looks like a secret; below properties: %s", p.Resource, p.Property, p.Line())
		results = append(results, located(request, one, r.At(p.Pos)))
	}
	for _, f := range r.Older {
		one := result(f, sarif.Note)
		one.Text = fmt.Sprintf("%s/%s %s after %s: %s: %s: %s; %s", f.Group, f.Kind, f.Version, f.Older, f.Path, f.What, f.Text, f.Mend)
		if f.Line != "" {
			one.Text += fmt.Sprintf("; below %s: %s", f.Below, f.Line)
		}
		results = append(results, located(request, one, r.At(f.Pos)))
	}
	for _, f := range r.Ignored {
		results = append(results, sarif.Result{
			Rule: f.Rule, Level: sarif.Note, Text: f.Resource + " " + f.Path, Fingerprint: f.Fingerprint, Reason: f.Reason,
		})
	}
	return sarif.Encode(sarifRules(finding.Rule.IsOfCheck), results)
}

func result(f interface{ Subject() finding.Subject }, level sarif.Level) sarif.Result {
	s := f.Subject()
	return sarif.Result{Rule: s.Rule, Level: level, Fingerprint: s.Fingerprint}
}
