package finding_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/finding"
)

// TestJudge applies one entry to one finding.
func TestJudge(t *testing.T) {
	subject := finding.Subject{Rule: "ST1103", Resource: "Contoso.Shop/orders/items", Path: "properties.lines[].size", Fingerprint: "0123456789abcdef"}
	day := func(text string) time.Time {
		at, err := time.Parse(finding.Day, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	now := day("2027-01-31").Add(23 * time.Hour)
	for _, tt := range []struct {
		reason  string
		entry   finding.Ignore
		ignored bool
		warns   bool
	}{
		{"the rule alone", finding.Ignore{Rule: "ST1103"}, true, false},
		{"another rule", finding.Ignore{Rule: "ST1104"}, false, false},
		{"the fingerprint alone", finding.Ignore{Fingerprint: "0123456789abcdef"}, true, false},
		{"another fingerprint", finding.Ignore{Rule: "ST1103", Fingerprint: "0123456789abcdee"}, false, false},
		{"types below a type", finding.Ignore{Rule: "ST1103", Resource: "contoso.shop/**"}, true, false},
		{"types at one level", finding.Ignore{Rule: "ST1103", Resource: "Contoso.Shop/*"}, false, false},
		{"the path", finding.Ignore{Rule: "ST1103", Path: "properties.Lines[].size"}, true, false},
		{"properties below a path", finding.Ignore{Rule: "ST1103", Path: "properties.**"}, true, false},
		{"a name of any kind", finding.Ignore{Rule: "ST1103", Path: "properties.lines[].*"}, true, false},
		{"a path that is longer", finding.Ignore{Rule: "ST1103", Path: "properties.lines[].size.unit"}, false, false},
		{"a path that is shorter", finding.Ignore{Rule: "ST1103", Path: "properties.lines"}, false, false},
		{"the last day", finding.Ignore{Rule: "ST1103", Until: day("2027-01-31")}, true, false},
		{"the day after the last", finding.Ignore{Rule: "ST1103", Until: day("2027-01-30")}, false, true},
		{"an entry that has ended and matches nothing", finding.Ignore{Rule: "ST1104", Until: day("2027-01-30")}, false, false},
	} {
		tt.entry.Reason, tt.entry.Pos = "because", diag.InFile("strata.yaml")
		judge := finding.NewJudge(finding.Policy{Ignores: []finding.Ignore{tt.entry}}, now)
		entry, ignored := judge.Ignores(subject)
		if ignored != tt.ignored || ignored && entry.Reason != "because" {
			t.Errorf("%s: ignored is %t, want %t", tt.reason, ignored, tt.ignored)
		}
		warnings := judge.Warnings()
		if (len(warnings) > 0) != tt.warns {
			t.Errorf("%s: warnings: %v", tt.reason, warnings)
		}
		for _, w := range warnings {
			if !strings.Contains(w.Text, "2027-01-30") || !strings.Contains(w.Hint, "because") {
				t.Errorf("%s: the warning lacks the day or the reason: %+v", tt.reason, w)
			}
		}
	}
}

// TestJudgeHasLaterEntries ignores a finding by its second entry when the first has ended.
func TestJudgeHasLaterEntries(t *testing.T) {
	past := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	judge := finding.NewJudge(finding.Policy{Ignores: []finding.Ignore{
		{Rule: "ST1103", Reason: "past", Until: past}, {Rule: "ST1103", Reason: "second"}, {Rule: "ST1103", Reason: "third"},
	}}, time.Now())
	if entry, ignored := judge.Ignores(finding.Subject{Rule: "ST1103"}); !ignored || entry.Reason != "second" {
		t.Errorf("got %+v, %t", entry, ignored)
	}
}

// TestSeverity changes what the findings of one rule break.
func TestSeverity(t *testing.T) {
	judge := finding.NewJudge(finding.Policy{Severities: map[string]finding.Severity{"ST1203": finding.Clients, "ST1103": finding.None}}, time.Now())
	for rule, want := range map[string]finding.Severity{"ST1203": finding.Clients, "ST1103": finding.None, "ST1104": finding.NewWrites} {
		if got := judge.Severity(rule, finding.NewWrites); got != want {
			t.Errorf("%s breaks %s, want %s", rule, got, want)
		}
	}
}

// TestFingerprint checks that each part counts, and where one ends.
func TestFingerprint(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{"a", "b"}, {"ab", ""}, {"", "ab"}, {"a", "b", ""}, {"a", "c"}, {"b", "a"}} {
		f := finding.Fingerprint(parts...)
		if len(f) != 16 || f != finding.Fingerprint(parts...) {
			t.Errorf("%q has the fingerprint %q", parts, f)
		}
		if other, twice := seen[f]; twice {
			t.Errorf("%q and %q have one fingerprint", parts, other)
		}
		seen[f] = parts
	}
	// A fingerprint in strata.yaml must stay valid for later releases of strata.
	if got, want := finding.Fingerprint("ST1103", "contoso.shop/orders", "v1", "v2", "size"), "f32896d9d0043eb7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestBaseline reads the fingerprints of all lists of a document.
func TestBaseline(t *testing.T) {
	known, err := finding.Baseline([]byte(`{"outcome": "ok", "comparisons": [{"changes": [{"fingerprint": "a"}, {"fingerprint": "b"}]}], "ignored": [{"changes": [{"fingerprint": "c"}]}], "secrets": [{"fingerprint": "d"}, {}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{"a": true, "b": true, "c": true, "d": true}, known); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "[]", "{}", `{"outcome": "ok"`, "table"} {
		if _, err := finding.Baseline([]byte(text)); err == nil {
			t.Errorf("%q is a baseline", text)
		}
	}
}
