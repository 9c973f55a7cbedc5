package config

import (
	"fmt"
	"strings"
	"time"
)

// Constraint is a set of bounds that a version must keep all of.
type Constraint struct {
	text   string
	bounds []bound
}

type bound struct {
	op      string
	version version
}

// operators, the longer ones first.
var operators = []string{">=", "<=", ">", "<", "="}

// ParseConstraint reads ">=2019-08-01,<2022-01-01": bounds with >=, >, <=, <, =
// or plain (meaning =), joined by commas.
func ParseConstraint(text string) (Constraint, error) {
	c := Constraint{text: text}
	for part := range strings.SplitSeq(text, ",") {
		b, err := parseBound(strings.TrimSpace(part))
		if err != nil {
			return Constraint{}, fmt.Errorf("bad version constraint %q: %w", text, err)
		}
		c.bounds = append(c.bounds, b)
	}
	return c, nil
}

func parseBound(text string) (bound, error) {
	op, label := "=", text
	for _, o := range operators {
		if rest, ok := strings.CutPrefix(text, o); ok {
			op, label = o, strings.TrimSpace(rest)
			break
		}
	}
	if label == "" {
		return bound{}, fmt.Errorf("a version is missing")
	}
	v, ok := parseVersion(label)
	if !ok || !v.isDate() {
		return bound{}, fmt.Errorf("%q is neither a date nor a Kubernetes version", label)
	}
	return bound{op, v}, nil
}

// isDate tells whether a dated version's date exists; true for other versions.
func (v version) isDate() bool {
	_, err := time.Parse(time.DateOnly, v.date)
	return v.date == "" || err == nil
}

// Allows tells whether a version, as sources spell it, keeps all bounds.
// Versions are ordered as in chains: by date, previews before their stable. A
// bound of one kind of label allows no version of the other.
func (c Constraint) Allows(label string) bool {
	v, ok := parseVersion(label)
	for _, b := range c.bounds {
		if !ok || !b.allows(v) {
			return false
		}
	}
	return true
}

func (b bound) allows(v version) bool {
	if !v.comparable(b.version) {
		return false
	}
	order := v.compare(b.version)
	switch b.op {
	case ">=":
		return order >= 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	case "<":
		return order < 0
	}
	return order == 0
}

// String gives the text that was parsed.
func (c Constraint) String() string { return c.text }
