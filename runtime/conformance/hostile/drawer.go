package hostile

import (
	"math/rand/v2"
	"reflect"
	"slices"
)

// Drawer draws objects of one kind. It is not safe for concurrent use.
type Drawer struct{ d drawer }

// New returns a drawer. The same seed gives the same objects.
func New(seed uint64, k Kind) *Drawer {
	d := &Drawer{drawer{Rand: rand.New(rand.NewPCG(seed, 7)), kind: k, byName: map[string][]reflect.Type{}, floats: map[string]bool{}}}
	d.d.learn(k.Stored, map[reflect.Type]bool{})
	return d
}

// Stored draws an object in storage. It may be damaged.
func (d *Drawer) Stored() []byte { return d.object(d.d.kind.Hub, d.d.kind.Stored) }

// Written draws an object as a client writes it through the API version of a label, whose type is
// of. It may have values of wrong types, and forged hidden values.
func (d *Drawer) Written(label string, of reflect.Type) []byte { return d.object(label, of) }

func (d *Drawer) object(label string, of reflect.Type) []byte {
	d.d.odd = pick(&d.d, 0, 0, 2, 10, 30)
	n := d.d.value(of, maxDepth)
	for n.kind != '{' {
		n = d.d.value(of, maxDepth)
	}
	d.d.root(label, n)
	if s := n.member("status"); s != nil && s.kind == '{' && label != d.d.kind.Hub && d.d.one(2) {
		s.set("propertyBag", &node{kind: '"', text: string(d.d.style().print(nil, d.d.forged()))})
	}
	return d.d.style().print(nil, n)
}

// Edited returns an object of the API version of a label as a client writes it back. The client may
// have edited or forged anything.
func (d *Drawer) Edited(label string, object []byte) []byte {
	n := parsed(object)
	for range pick(&d.d, 0, 0, 0, 1, 1, 2, 5) {
		n = d.d.edited(n)
	}
	d.d.root(label, n)
	return d.d.style().print(nil, n)
}

// Difference returns where two objects differ, and is empty if their values are the same. Empty
// members of the metadata are absent ones. An object that is no JSON differs from any other.
func (d *Drawer) Difference(a, b []byte) string {
	x, err := readable(a)
	if err != nil {
		return "the first: " + err.Error()
	}
	y, err := readable(b)
	if err != nil {
		return "the second: " + err.Error()
	}
	withoutEmptyMetadata(x)
	withoutEmptyMetadata(y)
	return d.d.difference("", x, y)
}

// maxDepth is the depth of the values that are drawn.
const maxDepth = 6

// root completes an object.
func (d *drawer) root(label string, n *node) {
	version := d.kind.Group + "/" + label
	meta := `{"name":"p"}`
	switch d.IntN(6) {
	case 0:
		meta = `{"name":"p","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"` + version + `\"}","a":"b"},"labels":{"x":"y"}}`
	case 1:
		meta = `{"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"` + version + `","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:location":{}}}}],"name":"p","generation":3}`
	}
	n.remove("apiVersion")
	n.remove("kind")
	n.remove("metadata")
	at := d.IntN(len(n.names) + 1)
	n.names = slices.Insert(n.names, at, "apiVersion", "kind", "metadata")
	n.values = slices.Insert(n.values, at, &node{kind: '"', text: version}, &node{kind: '"', text: d.kind.Name}, parsed([]byte(meta)))
}
