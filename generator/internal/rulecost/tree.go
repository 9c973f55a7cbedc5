package rulecost

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// step is how a schema is reached from the one around it.
type step struct {
	kind stepKind
	name string // of a property
}

type stepKind uint8

const (
	property stepKind = iota
	elements          // of a list
	values            // of a map
)

// node is one schema of a tree.
type node struct {
	step     step
	parent   *node
	children []*node // in the order of their steps
	schema   *apiextensions.JSONSchemaProps
	size     int      // the number of schemas in the subtree
	hasRules bool     // in the subtree
	digest   [32]byte // of the subtree
	// context and knowsOld are set for nodes with rules in their subtrees. knowsOld means that an API
	// server can find the earlier value of a part, so that its rules may use oldSelf.
	context  *validation.CELSchemaContext
	knowsOld bool
	compiled []compiled // once it is compiled
}

// parse returns the tree of a schema in JSON.
func parse(text string) (*node, error) {
	all, err := syntax.Parse("schema.json", []byte(text), syntax.Default)
	if err != nil {
		return nil, fmt.Errorf("estimate rules: %w", err)
	}
	if len(all) != 1 || all[0].Kind() != syntax.Object {
		return nil, errors.New("estimate rules: no schema")
	}
	root, err := build(all[0])
	if err != nil {
		return nil, fmt.Errorf("estimate rules: %w", err)
	}
	root.context, root.knowsOld = validation.RootCELContext(root.schema), true
	root.locate()
	return root, nil
}

// build returns a schema and those within it. It decodes the keywords of each schema once, so that
// the time is linear.
func build(v *syntax.Value) (*node, error) {
	n := &node{schema: new(apiextensions.JSONSchemaProps), size: 1}
	var own []string
	var others v1.JSONSchemaProps
	for _, m := range v.All() {
		isObject := m.Kind() == syntax.Object
		switch name := m.Name(); {
		case name == "properties" && isObject:
			for _, p := range m.All() {
				if err := n.add(step{property, p.Name()}, p); err != nil {
					return nil, err
				}
			}
		case name == "items" && isObject:
			if err := n.add(step{kind: elements}, m); err != nil {
				return nil, err
			}
		case name == "additionalProperties" && isObject:
			if err := n.add(step{kind: values}, m); err != nil {
				return nil, err
			}
		default:
			own = append(own, syntax.Quote(name)+":"+m.JSON())
		}
	}
	text := "{" + strings.Join(own, ",") + "}"
	if err := json.Unmarshal([]byte(text), &others); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&others, n.schema, nil); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	n.attach(text)
	return n, nil
}

func (n *node) add(at step, v *syntax.Value) error {
	child, err := build(v)
	if err != nil {
		return err
	}
	child.step, child.parent = at, n
	n.children = append(n.children, child)
	return nil
}

// attach completes a schema with those of its children, and summarizes the subtree. text has the
// other keywords.
func (n *node) attach(text string) {
	slices.SortFunc(n.children, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.step.kind, b.step.kind), cmp.Compare(a.step.name, b.step.name))
	})
	n.hasRules = len(n.schema.XValidations) > 0
	sum := sha256.New()
	fmt.Fprintf(sum, "%d %s", len(text), text)
	for _, c := range n.children {
		n.size += c.size
		n.hasRules = n.hasRules || c.hasRules
		fmt.Fprintf(sum, " %d %d %s %x", c.step.kind, len(c.step.name), c.step.name, c.digest)
		switch c.step.kind {
		case property:
			if n.schema.Properties == nil {
				n.schema.Properties = map[string]apiextensions.JSONSchemaProps{}
			}
			n.schema.Properties[c.step.name] = *c.schema
		case elements:
			n.schema.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: c.schema}
		case values:
			n.schema.AdditionalProperties = &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: c.schema}
		}
	}
	sum.Sum(n.digest[:0])
}

// locate gives the schemas below a node their contexts. It leaves out schemas at which an object of
// the node's type has no values.
func (n *node) locate() {
	for _, c := range n.children {
		if !c.hasRules || n.schema.XIntOrString || (c.step.kind == elements) != (n.schema.Type == "array") {
			continue
		}
		switch c.step.kind {
		case property:
			c.context = n.context.ChildPropertyContext(c.schema, c.step.name)
			c.knowsOld = n.knowsOld && cel.MapIsCorrelatable(n.schema.XMapType)
		case elements:
			c.context = n.context.ChildItemsContext(c.schema)
			c.knowsOld = n.knowsOld && n.schema.XListType != nil && *n.schema.XListType == "map"
		case values:
			c.context = n.context.ChildAdditionalPropertiesContext(c.schema)
			c.knowsOld = n.knowsOld
		}
		c.locate()
	}
}

// at returns the child that a step leads to; nil if there is none.
func (n *node) at(s step) *node {
	if n == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(n.children, s, func(c *node, s step) int {
		return cmp.Or(cmp.Compare(c.step.kind, s.kind), cmp.Compare(c.step.name, s.name))
	})
	if !found {
		return nil
	}
	return n.children[i]
}

// Path is where a schema is in an object: names of properties, "[]" for the elements of a list, and
// "*" for the values of a map.
type Path []string

// String returns a path such as spec.parts[].name; empty for the object itself.
func (p Path) String() string {
	return strings.ReplaceAll(strings.Join(p, "."), ".[]", "[]")
}

// path returns the path of a node.
func (n *node) path() (p Path) {
	for ; n.parent != nil; n = n.parent {
		switch n.step.kind {
		case property:
			p = append(p, n.step.name)
		case elements:
			p = append(p, "[]")
		case values:
			p = append(p, "*")
		}
	}
	slices.Reverse(p)
	return p
}
