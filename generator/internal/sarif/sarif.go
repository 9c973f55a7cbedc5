// Package sarif writes findings in the format that code hosts read: SARIF 2.1.0, one run of one
// tool.
package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
)

// Level is how bad a result is.
type Level string

// The levels.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Rule is a kind of result. Text explains it.
type Rule struct{ ID, Text string }

// Result is one finding. Rule is the ID of a rule. Line and Column count from 1 and are 0 if
// unknown. File may be empty. A code host knows a finding of an earlier run by its fingerprint. A
// result with a reason is suppressed.
type Result struct {
	Rule, Text          string
	Level               Level
	File                string
	Line, Column        int
	Fingerprint, Reason string
}

const schema = "https://json.schemastore.org/sarif-2.1.0.json"

// Encode returns a log, with the results in the given order.
func Encode(rules []Rule, results []Result) ([]byte, error) {
	run := run{Results: []result{}}
	run.Tool.Driver.Name = "strata"
	run.Tool.Driver.Rules = []rule{}
	for _, r := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule{r.ID, text{r.Text}})
	}
	for _, r := range results {
		run.Results = append(run.Results, result{r.Rule, r.Level, text{r.Text}, r.locations(), r.fingerprints(), r.suppressions()})
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(log{schema, "2.1.0", []any{run}}); err != nil {
		return nil, fmt.Errorf("marshal sarif: %w", err)
	}
	return out.Bytes(), nil
}

func (r Result) fingerprints() map[string]string {
	if r.Fingerprint == "" {
		return nil
	}
	return map[string]string{"strata/v1": r.Fingerprint}
}

func (r Result) suppressions() []suppression {
	if r.Reason == "" {
		return nil
	}
	return []suppression{{"external", r.Reason}}
}

func (r Result) locations() []location {
	if r.File == "" {
		return nil
	}
	at := location{}
	at.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(r.File)}).String()
	if r.Line > 0 {
		at.Physical.Region = &region{r.Line, r.Column}
	}
	return []location{at}
}

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []any  `json:"runs"`
}

type run struct {
	Tool struct {
		Driver struct {
			Name  string `json:"name"`
			Rules []rule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Results []result `json:"results"`
}

type rule struct {
	ID    string `json:"id"`
	Short text   `json:"shortDescription"`
}

type text struct {
	Text string `json:"text"`
}

type result struct {
	Rule      string     `json:"ruleId"`
	Level     Level      `json:"level"`
	Message   text       `json:"message"`
	Locations []location `json:"locations,omitempty"`
	// Fingerprints and Suppressions have their names and values in the standard.
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Suppressions []suppression     `json:"suppressions,omitempty"`
}

type suppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

type location struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *region `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type region struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}
