package config

import (
	"fmt"
	"strings"

	"github.com/stratakube/strata/generator/internal/version"
)

// Constraint is a set of bounds, which a version must all satisfy.
type Constraint struct {
	text   string
	bounds []bound
}

type bound struct {
	op      string
	version version.Version
}

// operators, the longer ones first.
var operators = []string{">=", "<=", ">", "<", "="}

// ParseConstraint parses a constraint such as ">=2019-08-01,<2022-01-01": bounds separated by
// commas, with >=, >, <=, <, =, or no operator, which means =.
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
	op, name := "=", text
	for _, o := range operators {
		if rest, ok := strings.CutPrefix(text, o); ok {
			op, name = o, strings.TrimSpace(rest)
			break
		}
	}
	if name == "" {
		return bound{}, fmt.Errorf("a version is missing")
	}
	v, ok := version.Parse(name)
	if !ok || !v.IsPossible() {
		return bound{}, fmt.Errorf("%q is not a version", name)
	}
	return bound{op, v}, nil
}

// Allows reports whether a version, as sources spell it, satisfies all bounds. Versions are ordered
// as in chains: by date, previews before their stable version. A bound whose name has one style
// allows no version of another style.
func (c Constraint) Allows(name string) bool {
	v, ok := version.Parse(name)
	for _, b := range c.bounds {
		if !ok || !b.allows(v) {
			return false
		}
	}
	return true
}

func (b bound) allows(v version.Version) bool {
	if v.Style() != b.version.Style() {
		return false
	}
	order := v.Compare(b.version)
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

// String returns the text that was parsed.
func (c Constraint) String() string { return c.text }
