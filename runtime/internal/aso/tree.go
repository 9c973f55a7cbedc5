package aso

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// bagName is the name of the bag of an object that ASO has stored.
const bagName = "$propertyBag"

// node is a JSON value: an object with members, a list with elements, or raw text. Only values
// whose shapes can have bags are decoded.
type node struct {
	kind    byte // '{', '[', or 0 for raw text
	raw     []byte
	members []member
	index   map[string]int // of members by name
	list    []*node
}

type member struct {
	name  string
	value *node
}

// get returns a member of an object, and nil if it is absent.
func (n *node) get(name string) *node {
	if i, ok := n.index[name]; ok {
		return n.members[i].value
	}
	return nil
}

// set sets a member of an object. It replaces a member of the same name.
func (n *node) set(name string, value *node) {
	if i, ok := n.index[name]; ok {
		n.members[i].value = value
		return
	}
	n.index[name] = len(n.members)
	n.members = append(n.members, member{name, value})
}

// add adds a member to an object. A name that another member has gets a suffix.
func (n *node) add(name string, value *node) {
	for n.get(name) != nil {
		name += "+"
	}
	n.set(name, value)
}

// remove removes a member of an object, and returns it.
func (n *node) remove(name string) *node {
	i, ok := n.index[name]
	if !ok {
		return nil
	}
	value := n.members[i].value
	n.members = append(n.members[:i:i], n.members[i+1:]...)
	delete(n.index, name)
	for name, at := range n.index {
		if at > i {
			n.index[name] = at - 1
		}
	}
	return value
}

// object decodes the members of a JSON object, with raw values. It returns nil for other values.
func object(data []byte) *node {
	n := emptyObject()
	ok := jsontext.EachMember(data, func(name []byte, value runtime.JSON) { n.set(string(name), &node{raw: value}) })
	if !ok {
		return nil
	}
	return n
}

func emptyObject() *node { return &node{kind: '{', index: map[string]int{}} }

func (n *node) appendTo(out []byte) []byte {
	switch n.kind {
	case '{':
		out = append(out, '{')
		for _, m := range n.members {
			out = append(jsontext.AppendText(jsontext.Separate(out), m.name), ':')
			out = m.value.appendTo(out)
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		for _, element := range n.list {
			out = element.appendTo(jsontext.Separate(out))
		}
		return append(out, ']')
	}
	return append(out, n.raw...)
}
