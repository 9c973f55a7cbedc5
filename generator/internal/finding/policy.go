package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Subject identifies a finding for a policy.
type Subject struct {
	Rule        string // the identifier
	Resource    string // the vendor's type
	Path        string // of the property; empty for a whole version or resource
	Fingerprint string
}

// Fingerprint returns 16 hexadecimal digits for the parts of a finding: its rule, where it is, and
// its old and new values. It does not depend on positions in files, nor on other findings.
func Fingerprint(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write([]byte(strings.ToValidUTF8(part, "\uFFFD")))
		_, _ = h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Policy is what strata.yaml says about findings. The zero value changes nothing.
type Policy struct {
	// Severities are by the identifiers of rules.
	Severities map[string]Severity
	// Ignores are in the order of the file.
	Ignores []Ignore
}

// Ignore is an entry about findings that do not count. Each of Rule, Resource, Path and Fingerprint
// limits it. Rule or Fingerprint is set.
type Ignore struct {
	Rule        string // an identifier
	Resource    string // a doublestar glob for types, ignoring case
	Path        string // a doublestar glob for paths, ignoring case: a dot separates names
	Fingerprint string
	Reason      string
	// Until is the last day on which the entry counts, in UTC; zero for ever.
	Until time.Time
	Pos   diag.Pos
}

// Day is the form of Ignore.Until in files.
const Day = "2006-01-02"

// asPath writes a path of properties in the form that globs know: names and the elements of lists
// are separated by slashes.
var asPath = strings.NewReplacer(".", "/", "[]", "/@")

func (i Ignore) matches(s Subject) bool {
	glob := func(pattern, text string) bool {
		return pattern == "" || doublestar.MatchUnvalidated(strings.ToLower(pattern), strings.ToLower(text))
	}
	return (i.Rule == "" || i.Rule == s.Rule) && (i.Fingerprint == "" || i.Fingerprint == s.Fingerprint) &&
		glob(i.Resource, s.Resource) && glob(asPath.Replace(i.Path), asPath.Replace(s.Path))
}

// Judge applies a policy to findings on a day.
type Judge struct {
	policy  Policy
	today   time.Time
	matched []bool // by the index of the entry
}

// NewJudge returns a judge for a policy on the day of a time.
func NewJudge(policy Policy, now time.Time) *Judge {
	return &Judge{policy: policy, today: now.UTC().Truncate(24 * time.Hour), matched: make([]bool, len(policy.Ignores))}
}

// Severity returns what a finding of a rule breaks, which breaks something by default.
func (j *Judge) Severity(rule string, usual Severity) Severity {
	if s, found := j.policy.Severities[rule]; found {
		return s
	}
	return usual
}

// Ignores returns the first entry that ignores a finding today.
func (j *Judge) Ignores(s Subject) (entry *Ignore, ignored bool) {
	for i := range j.policy.Ignores {
		at := &j.policy.Ignores[i]
		if !at.matches(s) {
			continue
		}
		j.matched[i] = true
		if entry == nil && !j.hasEnded(at) {
			entry = at
		}
	}
	return entry, entry != nil
}

func (j *Judge) hasEnded(i *Ignore) bool { return !i.Until.IsZero() && j.today.After(i.Until) }

// Warnings returns a warning for each entry that has ended although it would ignore a finding.
func (j *Judge) Warnings() (out []diag.Message) {
	for i, entry := range j.policy.Ignores {
		if j.matched[i] && j.hasEnded(&entry) {
			out = append(out, diag.Warnf(entry.Pos, "this entry ended on %s, so that its findings count", entry.Until.Format(Day)).
				WithHint("mend what it ignored (%s), or set a later day", entry.Reason))
		}
	}
	return out
}
