package config

import (
	"regexp"
	"time"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/finding"
)

// findings decodes what the file says about findings of strata diff and strata check.
func (d *decoder) findings(v value) {
	d.object(v, "findings",
		key("severities", d.severities),
		key("ignore", func(v value) { d.nonEmpty(v, d.ignore) }),
	)
}

func (d *decoder) severities(v value) {
	entries, _ := d.entries(v)
	for _, e := range entries {
		rule, isRule := d.rule(e.key, e.key.Value)
		word := d.oneOf(e.value, finding.SeverityNames()...)
		switch {
		case !isRule || word == "":
			continue
		case rule.IsOfCheck():
			d.add(diag.Errorf(d.pos(e.key), "findings of strata check have no severity").WithHint("ignore them, or set check: {strict: true}"))
			continue
		}
		if d.config.Findings.Severities == nil {
			d.config.Findings.Severities = map[string]finding.Severity{}
		}
		if _, twice := d.config.Findings.Severities[rule.ID]; twice {
			d.errorf(e.key, "the rule %s appears here twice, as %s and as %s", rule.Name, rule.ID, rule.Name)
			continue
		}
		d.config.Findings.Severities[rule.ID], _ = finding.ParseSeverity(word)
	}
}

// rule finds the rule with a name or an identifier.
func (d *decoder) rule(at value, text string) (finding.Rule, bool) {
	r, found := finding.Find(text)
	if !found {
		m := suggesting(diag.Errorf(d.pos(at), "there is no rule %q", text), text, finding.Words())
		d.add(m)
	}
	return r, found
}

var fingerprintForm = regexp.MustCompile(`^[0-9a-f]{16}$`)

func (d *decoder) ignore(v value) {
	entry := finding.Ignore{Pos: d.pos(v)}
	before := d.errors
	d.object(v, "findings.ignore[]",
		key("rule", func(v value) {
			if text, ok := d.text(v); ok {
				r, _ := d.rule(v, text)
				entry.Rule = r.ID
			}
		}),
		key("resource", func(v value) { entry.Resource = d.glob(v) }),
		key("path", func(v value) { entry.Path = d.nameGlob(v) }),
		key("fingerprint", func(v value) {
			text, ok := d.text(v)
			if ok && !fingerprintForm.MatchString(text) {
				d.add(diag.Errorf(d.pos(v), "%q is not a fingerprint", text).WithHint("strata diff -o json prints those of its findings: 16 digits of 0 to 9 and a to f"))
				return
			}
			entry.Fingerprint = text
		}),
		required("reason", func(v value) { entry.Reason, _ = d.text(v) }),
		required("until", func(v value) { entry.Until = d.until(v) }),
	)
	switch {
	case d.errors > before:
	case entry.Rule == "" && entry.Fingerprint == "":
		d.add(diag.Errorf(entry.Pos, "must have a rule or a fingerprint").WithHint("such as `rule: limit-narrower`"))
	default:
		d.config.Findings.Ignores = append(d.config.Findings.Ignores, entry)
	}
}

// until decodes a day; zero for the word never.
func (d *decoder) until(v value) time.Time {
	text, ok := d.text(v)
	if !ok || text == "never" {
		return time.Time{}
	}
	day, err := time.Parse(finding.Day, text)
	if err != nil {
		d.add(diag.Errorf(d.pos(v), "%q is not a day", text).WithHint("such as `until: 2027-01-31`, or `until: never`"))
	}
	return day
}
