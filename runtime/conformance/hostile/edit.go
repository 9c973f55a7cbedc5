package hostile

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// mutate changes a value as clients may edit or forge it.
func (d *drawer) mutate(root *node) {
	var all []*node
	var collect func(n *node)
	collect = func(n *node) {
		all = append(all, n)
		for _, v := range n.values {
			collect(v)
		}
	}
	collect(root)
	n := pick(d, all...)
	switch n.kind {
	case '{', '[':
		if len(n.values) == 0 {
			if n.kind == '[' {
				n.values = append(n.values, d.any(2))
			} else {
				n.set(d.name(), d.any(2))
			}
			return
		}
		i, j := d.IntN(len(n.values)), d.IntN(len(n.values))
		isObject := n.kind == '{'
		switch d.IntN(9) {
		case 0, 1:
			n.values = slices.Delete(n.values, i, i+1)
			if isObject {
				n.names = slices.Delete(n.names, i, i+1)
			}
		case 2, 3:
			n.values[i], n.values[j] = n.values[j], n.values[i]
			if isObject && d.one(2) {
				n.names[i], n.names[j] = n.names[j], n.names[i]
			}
		case 4, 5:
			n.values = append(n.values, n.values[i].clone())
			if isObject {
				if d.one(4) {
					n.names = append(n.names, n.names[i])
				} else {
					n.names = append(n.names, d.name())
				}
			}
		case 6:
			if isObject {
				n.names[i] = pick(d, append([]string{d.name()}, n.names...)...)
			} else {
				n.values = slices.Insert(n.values, i, n.values[j].clone())
			}
		case 7:
			n.values[i] = d.any(2)
		case 8:
			if isObject {
				d.Shuffle(len(n.values), func(a, b int) {
					n.values[a], n.values[b] = n.values[b], n.values[a]
					n.names[a], n.names[b] = n.names[b], n.names[a]
				})
			} else {
				d.Shuffle(len(n.values), func(a, b int) { n.values[a], n.values[b] = n.values[b], n.values[a] })
			}
		}
	case '"':
		n.text = pick(d, d.text(), d.text(), n.text+"x", "AAAAAAAAAAA")
	default:
		*n = *pick(d, &node{text: "0"}, &node{text: "1"}, &node{text: "2"}, &node{text: "true"}, d.any(1))
	}
}

// edited edits an object, or its hidden values.
func (d *drawer) edited(n *node) *node {
	status := n.member("status")
	spec := n.member("spec")
	switch {
	case d.one(2) && spec != nil:
		d.mutate(spec)
	case status != nil && status.kind == '{' && status.member("propertyBag") != nil && status.member("propertyBag").kind == '"':
		text := status.member("propertyBag")
		bag := parsed([]byte(text.text))
		if bag == nil || bag.kind != '{' {
			return n
		}
		switch d.IntN(6) {
		case 0:
			bag.set("originalVersion", &node{kind: '"', text: d.label()})
		case 1:
			bag.set("shown", &node{kind: '"', text: "AAAAAAAAAAA"})
		case 2:
			bag.set("noStatus", &node{text: pick(d, "true", "false")})
		case 3:
			bag.set("fingerprints", &node{text: pick(d, "1", "2")})
		default:
			d.mutate(bag)
		}
		s := d.style()
		s.nameEscapes = d.one(3)
		text.text = string(s.print(nil, bag))
	case status != nil && status.kind == '{':
		if d.one(2) {
			d.mutate(status)
			break
		}
		status.set("propertyBag", &node{kind: '"', text: string(d.style().print(nil, d.forged()))})
	case spec != nil:
		d.mutate(spec)
	}
	if d.one(20) {
		n.remove(pick(d, "status", "spec"))
	}
	return n
}

// forged returns a bag that hides values at paths of the hub's type.
func (d *drawer) forged() *node {
	b := parsed([]byte(`{"fingerprints":1,"format":1}`))
	if t, ok := field(d.kind.Stored, "spec"); ok && d.one(2) {
		b.set("spec", d.hiding(t, 4))
	}
	if t, ok := field(d.kind.Stored, "status"); ok && d.one(3) {
		b.set("status", d.hiding(t, 4))
	}
	if d.one(4) {
		b.set("originalVersion", &node{kind: '"', text: d.label()})
	}
	if d.one(4) {
		b.set("noStatus", &node{text: "true"})
	}
	return b
}

// field returns the type of the member of a name.
func field(t reflect.Type, named string) (reflect.Type, bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == named {
			return f.Type, true
		}
	}
	return nil, false
}

// hiding draws the hidden values of a value of a type.
func (d *drawer) hiding(t reflect.Type, depth int) *node {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	n := &node{kind: '{'}
	switch t.Kind() {
	case reflect.Struct:
		if d.one(2) {
			n.set("bag", d.bag(2))
		}
		in, more := &node{kind: '{'}, &node{kind: '{'}
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case name == "-" && f.Type.Kind() == reflect.Map:
				for range d.IntN(3) {
					more.set(d.name(), d.hiding(f.Type.Elem(), depth-1))
				}
			case depth > 0 && d.one(2):
				in.set(name, d.hiding(f.Type, depth-1))
			}
		}
		if len(in.names) > 0 {
			n.set("in", in)
		}
		if len(more.names) > 0 {
			n.set("more", more)
		}
	case reflect.Map:
		in := &node{kind: '{'}
		for range d.IntN(4) {
			in.set(d.name(), d.hiding(t.Elem(), depth-1))
		}
		n.set("in", in)
	case reflect.Slice:
		in := &node{kind: '['}
		for i := range d.IntN(4) {
			in.values = append(in.values, &node{kind: '[', values: []*node{{text: strconv.Itoa(i)}, d.hiding(t.Elem(), depth-1)}})
		}
		n.set("all", &node{kind: '"', text: pick(d, "AAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")})
		n.set("in", in)
	}
	if d.one(3) { // the order of Hide
		n.sort()
	}
	return n
}
