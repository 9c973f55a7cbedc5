package armschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// fragment has the keywords of a schema without references, conjunctions and unions; or a scalar.
type fragment struct {
	location
	scalar string
}

func (f fragment) key() string {
	if f.scalar != "" {
		return "scalar " + f.scalar
	}
	return f.location.key()
}

// maxAlternatives is how many alternatives a schema may have. The widest published union has 121
// branches.
const maxAlternatives = 4000

var errTooMany = fmt.Errorf("a schema has more than %d alternatives", maxAlternatives)

// maxNesting is how many references and combinations may follow each other before a property.
const maxNesting = 100

// options returns the alternatives of a schema, each a conjunction of fragments. A value fits the
// schema if it fits all fragments of one alternative. A schema that no value fits has none.
func (b *builder) options(at location, depth int) ([][]fragment, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("%s: its references do not end", at)
	}
	switch v := at.value.(type) {
	case bool:
		if v {
			return [][]fragment{nil}, nil
		}
		return nil, nil
	case map[string]any:
	default:
		return nil, fmt.Errorf("%s: a schema is neither an object nor a boolean", at)
	}
	result := [][]fragment{{{location: at}}}
	if ref, ok := at.object()["$ref"].(string); ok {
		more, err := b.referred(at, ref, depth)
		if err != nil {
			return nil, err
		}
		if result, err = product(result, more); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	return b.combined(at, result, depth)
}

func (b *builder) referred(at location, ref string, depth int) ([][]fragment, error) {
	t, err := b.library.follow(ref, at.doc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	if t.scalar != "" {
		return [][]fragment{{{scalar: t.scalar}}}, nil
	}
	return b.options(t.location, depth+1)
}

func (b *builder) combined(at location, result [][]fragment, depth int) ([][]fragment, error) {
	for _, branch := range at.member("allOf").elements() {
		more, err := b.options(branch, depth+1)
		if err != nil {
			return nil, err
		}
		if result, err = product(result, more); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		list := at.member(keyword)
		if !list.exists() || keyword == "oneOf" && list.areConditions() {
			continue
		}
		more, err := b.union(list, depth)
		if err != nil {
			return nil, err
		}
		if result, err = product(result, more); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	return result, nil
}

func (b *builder) union(list location, depth int) ([][]fragment, error) {
	var all [][]fragment
	expressions := 0
	for _, branch := range list.elements() {
		if b.isExpression(branch, 4) {
			expressions++
			continue
		}
		more, err := b.options(branch, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	if expressions > 0 && expressions == len(list.elements()) {
		return [][]fragment{{{scalar: "string"}}}, nil
	}
	return all, nil
}

// isExpression reports whether a branch is the template expression and nothing else.
func (b *builder) isExpression(at location, depth int) bool {
	if depth == 0 {
		return false
	}
	if ref, ok := at.object()["$ref"].(string); ok {
		t, err := b.library.follow(ref, at.doc)
		return err == nil && (t.expression || t.scalar == "" && b.isExpression(t.location, depth-1))
	}
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		if list := at.member(keyword).elements(); len(list) > 0 {
			return !slices.ContainsFunc(list, func(p location) bool { return !b.isExpression(p, depth-1) })
		}
	}
	return false
}

// product joins each of one list with each of another.
func product(a, b [][]fragment) ([][]fragment, error) {
	if len(a)*len(b) > maxAlternatives {
		return nil, errTooMany
	}
	var all [][]fragment
	for _, left := range a {
		for _, right := range b {
			joined := slices.Clone(left)
			for _, f := range right {
				if !slices.ContainsFunc(joined, func(g fragment) bool { return g.key() == f.key() }) {
					joined = append(joined, f)
				}
			}
			all = append(all, joined)
		}
	}
	return all, nil
}

// builder takes schemas apart.
type builder struct {
	library *Library
	nodes   map[string]*node
	order   []*node // in which nodes were first reached
	pending []func() error
	dropped []string // what is not judged
}

// maxNodes is how many different positions of a body a schema may describe.
const maxNodes = 200_000

var errTooLarge = errors.New("the schema describes too many places")

// role is where the schemas of a node are found.
type role string

// The roles.
const (
	inside  role = ""        // below the root of a body
	atRoot  role = "root "   // the root of a body
	negated role = "negated" // within not, where an object is open unless it sets itself that it is closed
)

// node returns the requirements that all schemas at some locations together set for one value.
// The same schemas return the same node. drain fills it.
func (b *builder) node(locations []location, as role) *node {
	keys := make([]string, len(locations))
	for i, p := range locations {
		keys[i] = p.key()
	}
	slices.Sort(keys)
	key := string(as) + strings.Join(slices.Compact(keys), "\n")
	if n := b.nodes[key]; n != nil {
		return n
	}
	n := &node{number: len(b.order)}
	b.nodes[key] = n
	b.order = append(b.order, n)
	b.pending = append(b.pending, func() error { return b.fill(n, locations, as) })
	return n
}

// names returns the requirements for the name of a resource, one node for each alternative of the
// schema. It returns none if one alternative allows any name.
func (b *builder) names(at location) ([]*node, error) {
	all, err := b.options(at, 0)
	if err != nil {
		return nil, err
	}
	var names []*node
	for _, fragments := range all {
		var locations []location
		for _, f := range fragments {
			if f.scalar != "" {
				continue
			}
			if name := f.member("properties").member("name"); name.exists() {
				locations = append(locations, name)
			}
		}
		if len(locations) == 0 {
			return nil, nil
		}
		if n := b.node(locations, inside); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names, nil
}

func (b *builder) drain() error {
	for len(b.pending) > 0 {
		fill := b.pending[0]
		b.pending = b.pending[1:]
		if err := fill(); err != nil {
			return err
		}
		if len(b.order) > maxNodes {
			return errTooLarge
		}
	}
	return nil
}

func (b *builder) fill(n *node, locations []location, as role) error {
	all := [][]fragment{nil}
	for _, p := range locations {
		options, err := b.options(p, 0)
		if err != nil {
			return err
		}
		if all, err = product(all, options); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	for _, fragments := range all {
		if a := b.alternative(fragments, as); a != nil {
			n.alternatives = append(n.alternatives, a)
		}
	}
	return nil
}
