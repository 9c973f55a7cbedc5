package upgrade

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/references"
)

// reasons are all reasons of findings, each of which is a test case of a kind.
var reasons = append([]string{
	VersionUnknown, StoredVersionGone, VersionGone, NotConvertible, HubChanged, Lost, VisibleChanged, TooLarge, Owned, LastApplied, Tracked, Uniform,
}, references.Reasons...)

// suites are the results of tests in the form of JUnit, which CI systems show.
type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Values   []property `xml:"properties>property"`
	Cases    []testCase `xml:"testcase"`
}

// property is a count that JUnit shows beside the tests.
type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *failure `xml:"failure"`
	Error   *failure `xml:"error"`
	Skipped *failure `xml:"skipped"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit prints a plan as results of tests: a suite for each kind, with a test for each reason of
// findings. A test fails if the kind has such findings.
func (p *Plan) JUnit(w io.Writer) error { return printSuites(w, p.suites("")) }

// suites returns the suites of a plan. Their names and classes begin with a prefix.
func (p *Plan) suites(prefix string) (out []suite) {
	for i := range p.Kinds {
		out = append(out, p.Kinds[i].suite(prefix))
	}
	if len(p.NotChecked) == 0 {
		return out
	}
	s := suite{Name: prefix + "not checked", Tests: len(p.NotChecked)}
	for _, u := range p.NotChecked {
		s.Cases = append(s.Cases, testCase{Class: s.Name, Name: u.What, Skipped: &failure{Message: u.Reason}})
	}
	return append(out, s)
}

func printSuites(w io.Writer, of []suite) error {
	all := suites{Name: "strata cluster upgrade plan", Suites: of}
	for i := range of {
		all.Tests, all.Failures, all.Errors = all.Tests+of[i].Tests, all.Failures+of[i].Failures, all.Errors+of[i].Errors
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("print plan: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func (k *Kind) suite(prefix string) suite {
	out := suite{Name: prefix + k.CRD, Tests: len(reasons), Values: []property{
		{"objects", strconv.Itoa(k.Objects)}, {"hub", k.hubs()}, {"changes", k.changes()}, {"stored in", strings.Join(k.StoredVersions, " ")},
		{"writes", strconv.Itoa(k.Writes)}, {"writes a second", k.rate()}, {"time", k.time()}, {"largest", strconv.Itoa(k.Largest)},
	}}
	for _, reason := range reasons {
		found := slices.DeleteFunc(slices.Clone(k.Findings), func(f Finding) bool { return f.Note || f.Reason != reason })
		c := testCase{Class: out.Name, Name: reason}
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
