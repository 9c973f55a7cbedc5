package diff

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/finding"
)

// Judged are comparisons after a policy and a baseline were applied.
type Judged struct {
	// Counting are those with changes that count. Ignored have the changes that an entry of the policy
	// ignores, each with its reason.
	Counting, Ignored []Comparison
	// Known is the number of changes that the baseline has. Neither list has them.
	Known int
}

// Judge gives each change its fingerprint, and the severity of the policy. It divides the changes
// by whether they count. Known are the fingerprints of a baseline.
func Judge(all []Comparison, judge *finding.Judge, known map[string]bool) Judged {
	var out Judged
	for _, c := range all {
		counting, ignored := c, c
		counting.Changes, ignored.Changes = []Change{}, []Change{}
		for _, one := range c.Changes {
			rule := one.Kind.Rule()
			one.Fingerprint = c.fingerprint(rule.ID, one)
			one.Severity = judge.Severity(rule.ID, one.Severity)
			one.Conversion = c.conversion(rule, one.Severity)
			entry, isIgnored := judge.Ignores(finding.Subject{Rule: rule.ID, Resource: c.Resource, Path: one.Path, Fingerprint: one.Fingerprint})
			switch {
			case isIgnored:
				one.Reason = entry.Reason
				ignored.Changes = append(ignored.Changes, one)
			case known[one.Fingerprint]:
				out.Known++
			default:
				counting.Changes = append(counting.Changes, one)
			}
		}
		if len(counting.Changes) > 0 {
			out.Counting = append(out.Counting, counting)
		}
		if len(ignored.Changes) > 0 {
			out.Ignored = append(out.Ignored, ignored)
		}
	}
	return out
}

// fingerprint identifies a change among those of all runs.
func (c Comparison) fingerprint(rule string, one Change) string {
	return finding.Fingerprint(rule, strings.ToLower(c.Resource), c.From, c.To, one.Path, one.Old, one.New, one.Declared)
}

// conversion returns what conversions do about a change of a comparison. Only those between two
// versions convert.
func (c Comparison) conversion(rule finding.Rule, severity finding.Severity) finding.Conversion {
	switch {
	case severity == finding.None:
		return ""
	case c.From == "" || c.To == "" || c.From == c.To || rule.Conversion == "":
		return finding.NoHelp
	}
	return rule.Conversion
}
