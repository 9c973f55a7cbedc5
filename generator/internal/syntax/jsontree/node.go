package jsontree

import (
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of values. Absent is the kind of a missing node.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "a list", "an object"}

// String returns the kind with its article, as in messages.
func (k Kind) String() string { return kindNames[k] }

// Node is a value in a tree. The zero Node is a missing value. Its methods return empty results, so
// that look-ups can be chained.
type Node struct {
	tree  *Tree
	index uint32
}

// record is what the tree stores for a value. Offsets are into Tree.text.
type record struct {
	name, nameLen uint32 // the member's name without quotes, as written
	start, end    uint32
	next          uint32 // the next sibling; 0 if there is none
	kind          Kind
	escaped       bool // a string value with escapes
	nameEscaped   bool
	doubled       bool // an object that names a member twice
}

func (n Node) record() *record { return &n.tree.records[n.index] }

// Exists reports whether the value exists.
func (n Node) Exists() bool { return n.tree != nil }

// Kind returns the kind of the value.
func (n Node) Kind() Kind {
	if n.tree == nil {
		return Absent
	}
	return n.record().kind
}

// Offset returns the number of bytes before the value.
func (n Node) Offset() int {
	if n.tree == nil {
		return 0
	}
	return int(n.record().start)
}

// Raw returns the value as written.
func (n Node) Raw() string {
	if n.tree == nil {
		return ""
	}
	r := n.record()
	return n.tree.text[r.start:r.end]
}

// Name returns the name of a member; empty for elements and the root.
func (n Node) Name() string {
	if n.tree == nil {
		return ""
	}
	r := n.record()
	name := n.tree.text[r.name : r.name+r.nameLen]
	if r.nameEscaped {
		return unquote(`"` + name + `"`)
	}
	return name
}

// NameOffset returns the number of bytes before a member's name, including its quote. For values
// without a name it is the offset of the value.
func (n Node) NameOffset() int {
	if n.tree == nil || n.record().name == 0 {
		return n.Offset()
	}
	return int(n.record().name) - 1
}

// Text returns the value of a string; empty for other kinds. It shares the document's memory if the
// string has no escapes.
func (n Node) Text() string {
	if n.Kind() != String {
		return ""
	}
	raw := n.Raw()
	if n.record().escaped {
		return unquote(raw)
	}
	return raw[1 : len(raw)-1]
}

// IsTrue reports whether the value is the boolean true.
func (n Node) IsTrue() bool { return n.Kind() == Bool && n.Raw() == "true" }

// First returns the first member or element.
func (n Node) First() Node {
	if n.tree == nil {
		return Node{}
	}
	child := n.index + 1
	if int(child) == len(n.tree.records) || n.tree.records[child].start >= n.record().end {
		return Node{}
	}
	return Node{n.tree, child}
}

// Next returns the next member or element of the same object or list.
func (n Node) Next() Node {
	if n.tree == nil || n.record().next == 0 {
		return Node{}
	}
	return Node{n.tree, n.record().next}
}

// All yields the members of an object or the elements of a list, in their order.
func (n Node) All() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := n.First(); c.Exists(); c = c.Next() {
			if !yield(c) {
				return
			}
		}
	}
}

// Len returns the number of members or elements.
func (n Node) Len() int {
	count := 0
	for c := n.First(); c.Exists(); c = c.Next() {
		count++
	}
	return count
}

// Member returns the first member of an object with a name.
func (n Node) Member(name string) Node {
	if n.Kind() != Object {
		return Node{}
	}
	left := few
	for c := n.First(); c.Exists(); c = c.Next() {
		if left--; left < 0 {
			return n.wide().named[name]
		}
		if c.isNamed(name) {
			return c
		}
	}
	return Node{}
}

// isNamed reports whether an existing member has a name. It makes no text, except for names with
// escapes.
func (n Node) isNamed(name string) bool {
	r := n.record()
	if r.nameEscaped {
		return n.Name() == name
	}
	return int(r.nameLen) == len(name) && n.tree.text[r.name:r.name+r.nameLen] == name
}

// Below yields the members with a name at any depth below the value, in the order of the text. It
// does not look within the members that it yields.
func (n Node) Below(name string) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.tree == nil {
			return
		}
		records, end := n.tree.records, n.record().end
		for i := n.index + 1; int(i) < len(records) && records[i].start < end; i++ {
			found := Node{n.tree, i}
			if records[i].name == 0 || !found.isNamed(name) {
				continue
			}
			if !yield(found) {
				return
			}
			for last := records[i].end; int(i)+1 < len(records) && records[i+1].start < last; {
				i++
			}
		}
	}
}

// Doubled returns the members of an object whose name an earlier member has.
func (n Node) Doubled() []Node {
	if n.Kind() != Object || !n.record().doubled {
		return nil
	}
	var doubled []Node
	seen := map[string]bool{}
	for c := range n.All() {
		if name := c.Name(); seen[name] {
			doubled = append(doubled, c)
		} else {
			seen[name] = true
		}
	}
	return doubled
}

// Compact returns the value without white space between its tokens.
func (n Node) Compact() string {
	if n.Kind() != Object && n.Kind() != Array {
		return n.Raw()
	}
	v := jsontext.Value(n.Raw())
	if v.Compact(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)) != nil {
		return n.Raw()
	}
	return string(v)
}

func unquote(raw string) string {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return raw
	}
	return string(text)
}
