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
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/sarif"
	"github.com/stratakube/strata/generator/internal/secret"
)

func (a *app) check() *cobra.Command {
	var flags flags
	format := newFormat(table, json, yaml, sarifs)
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
			result, err := within(c.Context(), func() (engine.CheckResult, error) { return a.engine.Check(c.Context(), request) })
			return a.give(request, err, format, checkAnswer{result}.answer(request))
		},
	}
	flags.add(a, c)
	format.add(c)
	return c
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
	type finding struct {
		*removals.Finding
		Likelihood float64 `json:"likelihood"`
		Below      string  `json:"below"`
		Line       string  `json:"line"`
	}
	findings := []finding{}
	for _, f := range r.Findings {
		findings = append(findings, finding{f, f.Likelihood(), f.Below(), f.Line()})
	}
	type proposal struct {
		*secret.Proposal
		Line string `json:"line"`
	}
	secrets := []proposal{}
	for _, p := range r.Secrets {
		secrets = append(secrets, proposal{p, p.Line()})
	}
	return struct {
		ending
		Strict   bool             `json:"strict"`
		Findings []finding        `json:"findings"`
		Secrets  []proposal       `json:"secrets"`
		Older    []*older.Finding `json:"older"`
	}{end, r.Strict, findings, secrets, append([]*older.Finding{}, r.Older...)}
}

var checkRules = []sarif.Rule{
	{ID: "likely-rename", Text: "A property ends, and one that is like it begins; the configuration does not say whether they are one."},
	{ID: "likely-change", Text: "The type, the values or the object of a property change; the configuration does not say how its values convert."},
	{ID: "removal", Text: "A property ends; the configuration does not say whether it has another name now."},
	{ID: "likely-secret", Text: "A property looks like a secret; the configuration does not say whether it is one."},
	{ID: "older-objects", Text: "A version has a requirement that objects of an older version can violate."},
}

func (r checkAnswer) sarif(request engine.Request) ([]byte, error) {
	var results []sarif.Result
	for _, f := range r.Findings {
		one := sarif.Result{Rule: "removal", Level: sarif.Note}
		switch {
		case f.IsRename():
			one.Rule, one.Level = "likely-rename", sarif.Warning
		case f.IsChange():
			one.Rule, one.Level = "likely-change", sarif.Warning
		}
		if r.Strict {
			one.Level = sarif.Error
		}
		one.Text = fmt.Sprintf("%s %s %s; below %s: %s", f.Group, f.Version, headline(f), f.Below(), f.Line())
		results = append(results, located(request, one, r.At(f.Pos)))
	}
	for _, p := range r.Secrets {
		one := sarif.Result{Rule: "likely-secret", Level: sarif.Warning}
		if r.Strict {
			one.Level = sarif.Error
		}
		one.Text = fmt.Sprintf("%s %s looks like a secret; below properties: %s", p.Resource, p.Property, p.Line())
		results = append(results, located(request, one, r.At(p.Pos)))
	}
	for _, f := range r.Older {
		one := sarif.Result{Rule: "older-objects", Level: sarif.Note}
		one.Text = fmt.Sprintf("%s/%s %s after %s: %s: %s: %s; %s", f.Group, f.Kind, f.Version, f.Older, f.Path, f.What, f.Text, f.Mend)
		if f.Line != "" {
			one.Text += fmt.Sprintf("; below %s: %s", f.Below, f.Line)
		}
		results = append(results, located(request, one, r.At(f.Pos)))
	}
	return sarif.Encode(checkRules, results)
}
