package hostile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// node is JSON whose members are in order and may be repeated.
type node struct {
	kind   byte // '{', '[', '"', or 0 for the text of another scalar
	text   string
	names  []string
	values []*node
}

func parsed(data []byte) *node {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := parseNext(d)
	if err != nil {
		return nil
	}
	return n
}

func parseNext(d *json.Decoder) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		n := &node{kind: byte(t)}
		for d.More() {
			if t == '{' {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.names = append(n.names, name.(string))
			}
			v, err := parseNext(d)
			if err != nil {
				return nil, err
			}
			n.values = append(n.values, v)
		}
		_, err := d.Token()
		return n, err
	case string:
		return &node{kind: '"', text: t}, nil
	case json.Number:
		return &node{text: t.String()}, nil
	case bool:
		return &node{text: strconv.FormatBool(t)}, nil
	default:
		return &node{text: "null"}, nil
	}
}

func (n *node) member(name string) *node {
	for i := range n.names {
		if n.names[i] == name {
			return n.values[i]
		}
	}
	return nil
}

func (n *node) set(name string, v *node) {
	for i := range n.names {
		if n.names[i] == name {
			n.values[i] = v
			return
		}
	}
	n.names, n.values = append(n.names, name), append(n.values, v)
}

func (n *node) remove(name string) {
	if i := slices.Index(n.names, name); i >= 0 {
		n.names, n.values = slices.Delete(n.names, i, i+1), slices.Delete(n.values, i, i+1)
	}
}

func (n *node) clone() *node {
	c := *n
	c.names = slices.Clone(n.names)
	c.values = nil
	for _, v := range n.values {
		c.values = append(c.values, v.clone())
	}
	return &c
}

// once removes repeated members.
func (n *node) once() {
	for i := 0; i < len(n.names); i++ {
		if slices.Contains(n.names[:i], n.names[i]) {
			n.names, n.values = slices.Delete(n.names, i, i+1), slices.Delete(n.values, i, i+1)
			i--
		}
	}
}

func (n *node) sort() {
	if n.kind == '{' {
		order := make([]int, len(n.names))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(n.names[a], n.names[b]) })
		names, values := slices.Clone(n.names), slices.Clone(n.values)
		for i, j := range order {
			n.names[i], n.values[i] = names[j], values[j]
		}
	}
	for _, v := range n.values {
		v.sort()
	}
}
