package chaintest

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/operation"
)

// Declared is a declared change of a property, in a form that does not depend on package chain.
type Declared struct {
	Version, Type, Property, In string
	Operation                   operation.Operation
}

// ParseDeclared reads lines of a version, a type, a property, a kind of change, and what it needs.
// A line with "to" and a path after the property moves it. One that ends in "in" and a version
// names the first version with the later values.
func ParseDeclared(text string) []Declared {
	var out []Declared
	for line := range strings.Lines(text) {
		w, in := strings.Fields(line), ""
		if n := len(w) - 2; w[n] == "in" {
			w, in = w[:n], w[n+1]
		}
		o := operation.Operation{}
		if w[3] == "to" {
			o.From, o.To = w[2], w[4]
			w = slices.Concat(w[:3], w[5:], []string{string(operation.MovedTo)})
		}
		o.Kind = operation.Kind(w[3])
		switch o.Kind {
		case operation.Values:
			o.Pairs = w[4:]
		case operation.Factor:
			o.By, o.Over, _ = operation.ParseFactor(w[4])
		case operation.Plural, operation.Singular, operation.MovedTo:
		default:
			o.Text = w[4]
		}
		out = append(out, Declared{w[0], w[1], w[2], in, o})
	}
	return out
}
