package upgrade

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/references"
)

// reasons are all reasons of findings, each of which is a test case of a kind.
var reasons = []string{
	VersionUnknown, StoredVersionGone, VersionGone, NotConvertible, HubChanged, Lost, Shown, TooLarge, Owned, LastApplied, Tracked,
	references.OwnerReference, references.HelmRelease, references.FluxInventory, references.ArgoApplication, references.Policy, references.ScaleTarget, references.Requested, references.Replica,
}

// suites are the results of tests in the form of JUnit, which CI systems show.
type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *failure `xml:"failure"`
	Skipped *failure `xml:"skipped"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit prints a plan as results of tests: a suite for each kind, with a test for each reason of
// findings. A test fails if the kind has such findings.
func (p *Plan) JUnit(w io.Writer) error {
	all := suites{Name: "strata cluster upgrade plan"}
	for i := range p.Kinds {
		s := p.Kinds[i].suite()
		all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
		all.Suites = append(all.Suites, s)
	}
	if len(p.NotChecked) > 0 {
		s := suite{Name: "not checked", Tests: len(p.NotChecked)}
		for _, u := range p.NotChecked {
			s.Cases = append(s.Cases, testCase{Class: s.Name, Name: u.What, Skipped: &failure{Message: u.Reason}})
		}
		all.Tests += s.Tests
		all.Suites = append(all.Suites, s)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("print plan: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func (k *Kind) suite() suite {
	out := suite{Name: k.CRD, Tests: len(reasons)}
	for _, reason := range reasons {
		found := slices.DeleteFunc(slices.Clone(k.Findings), func(f Finding) bool { return f.Note || f.Reason != reason })
		c := testCase{Class: k.CRD, Name: reason}
		if len(found) > 0 {
			out.Failures++
			c.Failure = &failure{Message: found[0].Message, Text: lines(found)}
		}
		out.Cases = append(out.Cases, c)
	}
	return out
}

// lines returns a line for each finding.
func lines(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		var where []string
		for _, part := range []string{crd.Plain(f.Version), f.Example, f.Path} {
			if part != "" {
				where = append(where, part)
			}
		}
		fmt.Fprintf(&b, "%s (%s): %s\n", strings.Join(where, " "), objects(f.Objects), f.Message)
	}
	return b.String()
}
