package convert

import (
	"errors"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// HiddenValue is a value that a version cannot represent.
type HiddenValue struct {
	// Path is the path of the object whose bag has the value, as in spec.properties.parts[1]. Key
	// is the key in that bag.
	Path, Key string
	// Value is the stored value.
	Value runtime.JSON
}

// Hidden has the values of an object that a version cannot represent.
type Hidden struct {
	// Values are in the order of the bag, which is sorted.
	Values []HiddenValue
	// Original is the stored original version, or nil if the bag has none.
	Original *string
}

// maxHiddenDepth is the largest nesting depth of hidden values. API servers accept less.
const maxHiddenDepth = 1000

var errHiddenDepth = errors.New("the bag is too deep")

// ReadHidden reads a bag: the text of status.propertyBag, or of the annotation
// [runtime.BagAnnotation]. Programs call it to show hidden values to users. It restores no
// values.
func ReadHidden(bag string) (Hidden, error) {
	h, err := hidden.Read(bag)
	if err != nil {
		return Hidden{}, err
	}
	l := &hiddenReader{}
	l.node("spec", h.Spec, 0)
	l.node("status", h.Status, 0)
	jsontext.EachMember(h.Raw, func(section []byte, node runtime.JSON) { l.node(string(section), node, 0) })
	return Hidden{Values: l.values, Original: h.Original}, l.err
}

// hiddenReader collects hidden values.
type hiddenReader struct {
	values []HiddenValue
	err    error
}

// node adds the hidden values of an object, a list or a map, and of the values in it.
func (l *hiddenReader) node(path string, node runtime.JSON, depth int) {
	if depth > maxHiddenDepth {
		l.err = errHiddenDepth
		return
	}
	jsontext.EachMember(node, func(name []byte, value runtime.JSON) {
		switch hidden.SectionOf(name, (&jsontext.Cursor{Data: value}).Peek()) {
		case hidden.Entries:
			jsontext.EachMember(value, func(key []byte, value runtime.JSON) {
				l.values = append(l.values, HiddenValue{path, string(key), value})
			})
		case hidden.Elements:
			l.elements(path, value, depth)
		case hidden.Members, hidden.More:
			jsontext.EachMember(value, func(name []byte, inner runtime.JSON) { l.node(memberPath(path, string(name)), inner, depth+1) })
		}
	})
}

// elements adds the hidden values of list elements. Each entry is a list: the index, the keys
// that identify the element, and the node.
func (l *hiddenReader) elements(path string, list runtime.JSON, depth int) {
	c := jsontext.Cursor{Data: list}
	for ok := c.Take('['); ok && c.More(']'); {
		one := jsontext.Cursor{Data: c.Raw()}
		one.Take('[') // nothing is hidden in an entry that is no list
		index := one.Integer()
		var node runtime.JSON
		for one.More(']') {
			node = one.Raw()
		}
		l.node(path+"["+strconv.FormatInt(index, 10)+"]", node, depth+1)
	}
}

// memberPath returns the path of a member.
func memberPath(path, name string) string {
	switch {
	case path == "":
		return name
	case name == "" || strings.ContainsAny(name, `.[]"`):
		return path + "[" + strconv.Quote(name) + "]"
	}
	return path + "." + name
}
