package armschema

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema describes a type in one API version, by all files that declare it in one scope. A body
// must fit one of them.
type Schema struct {
	Type    string // as the schemas spell it
	Version string
	files   []*fileSchema
}

// fileSchema is the part of a schema that one file has.
type fileSchema struct {
	body     *node
	compiled *jsonschema.Schema
	name     *jsonschema.Schema // of the resource's name; nil for any
	dropped  []string
}

func newFileSchema(l *Library, at location) (*fileSchema, error) {
	b := &builder{library: l, nodes: map[string]*node{}}
	body := b.node([]location{at}, atRoot)
	names, err := b.names(at)
	if err != nil {
		return nil, err
	}
	if err := b.drain(); err != nil {
		return nil, err
	}
	p := &fileSchema{body: body, dropped: b.dropped}
	p.compiled, p.name, err = compile(b.order, names)
	return p, err
}

// NotJudged returns the requirements of the schemas that Validate ignores, sorted.
func (s *Schema) NotJudged() []string {
	var all []string
	for _, p := range s.files {
		all = append(all, p.dropped...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// compile prints nodes as one schema of draft 7, and has it compiled: for bodies, of which the
// first node is the root, and for names, which fit one of the nodes.
func compile(nodes, names []*node) (bodies, name *jsonschema.Schema, err error) {
	definitions := make(map[string]any, len(nodes))
	for _, n := range nodes {
		definitions[label(n)] = n.print()
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.UseRegexpEngine(compilePattern)
	c.UseLoader(nothing{})
	const url = "strata:///schema.json"
	doc := map[string]any{"$ref": "#/definitions/" + label(nodes[0]), "definitions": definitions}
	if len(names) > 0 {
		var branches []any
		for _, n := range names {
			branches = append(branches, reference(n))
		}
		definitions["name"] = map[string]any{"anyOf": branches}
	}
	if err := c.AddResource(url, doc); err != nil {
		return nil, nil, err
	}
	if bodies, err = c.Compile(url); err != nil || len(names) == 0 {
		return bodies, nil, err
	}
	name, err = c.Compile(url + "#/definitions/name")
	return bodies, name, err
}

// nothing loads no files: the document contains all targets of references.
type nothing struct{}

func (nothing) Load(url string) (any, error) { return nil, fmt.Errorf("%s is not loaded", url) }

func label(n *node) string { return "n" + strconv.Itoa(n.number) }

func reference(n *node) map[string]any { return map[string]any{"$ref": "#/definitions/" + label(n)} }

func (n *node) print() any {
	switch len(n.alternatives) {
	case 0:
		return false
	case 1:
		return n.alternatives[0].print()
	}
	branches := make([]any, len(n.alternatives))
	for i, a := range n.alternatives {
		branches[i] = a.print()
	}
	return map[string]any{"anyOf": branches}
}

func (a *alternative) print() any {
	s := map[string]any{}
	if a.types != nil {
		s["type"] = list(a.types)
	}
	if len(a.properties) > 0 {
		s["properties"] = references(a.properties)
	}
	if len(a.patterns) > 0 {
		s["patternProperties"] = references(a.patterns)
	}
	switch {
	case a.additional != nil:
		s["additionalProperties"] = reference(a.additional)
	case !a.open:
		s["additionalProperties"] = false
	}
	if len(a.required) > 0 {
		s["required"] = list(a.required)
	}
	a.printItems(s)
	a.printAssertions(s)
	a.printNot(s)
	return s
}

func references(nodes map[string]*node) map[string]any {
	all := make(map[string]any, len(nodes))
	for name, n := range nodes {
		all[name] = reference(n)
	}
	return all
}

func (a *alternative) printItems(s map[string]any) {
	if a.tuple == nil {
		if a.items != nil {
			s["items"] = reference(a.items)
		}
		return
	}
	var tuple []any
	for _, n := range a.tuple {
		tuple = append(tuple, reference(n))
	}
	s["items"] = tuple
	if a.items != nil {
		s["additionalItems"] = reference(a.items)
	}
}

func (a *alternative) printAssertions(s map[string]any) {
	if len(a.assertions) == 1 {
		for keyword, value := range a.assertions[0] {
			s[keyword] = value
		}
		return
	}
	var all []any
	for _, m := range a.assertions {
		all = append(all, m)
	}
	if len(all) > 0 {
		s["allOf"] = all
	}
}

func (a *alternative) printNot(s map[string]any) {
	var all []any
	for _, n := range a.not {
		all = append(all, reference(n))
	}
	if len(all) > 0 {
		s["not"] = map[string]any{"anyOf": all}
	}
}

func list(names []string) []any {
	all := make([]any, len(names))
	for i, name := range names {
		all[i] = name
	}
	return all
}

// pattern is a regular expression as ECMAScript has it.
type pattern regexp2.Regexp

// patternTime is how long one pattern may look at one value.
const patternTime = 100 * time.Millisecond

func compilePattern(text string) (jsonschema.Regexp, error) {
	re, err := regexp2.Compile(text, regexp2.ECMAScript)
	if err != nil {
		// What only other dialects know, as look-behind and inline flags, is used too.
		if re, err = regexp2.Compile(text, regexp2.None); err != nil {
			return nil, err
		}
	}
	re.MatchTimeout = patternTime
	return (*pattern)(re), nil
}

// MatchString is true for what takes too long: the service, not the pattern, would refuse it.
func (p *pattern) MatchString(s string) bool {
	matched, err := (*regexp2.Regexp)(p).MatchString(s)
	return err != nil || matched
}

func (p *pattern) String() string { return (*regexp2.Regexp)(p).String() }
