package document

import (
	"iter"
	"strconv"
	"strings"
	"unique"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// Location is a value in a document, or a missing one. Locations are equal if they are the same
// value. Methods of a missing one return empty results, so that look-ups can be chained.
type Location struct {
	doc   *Document
	value *syntax.Value // of YAML, and of JSON that package syntax decoded
	node  jsontree.Node // in the tree of the document; it does not exist in other documents
}

// in returns the location of a value of a tree.
func (p Location) in(n jsontree.Node) Location { return Location{doc: p.doc, node: n} }

// Document returns the document of the value.
func (p Location) Document() *Document { return p.doc }

// Exists reports whether the value exists.
func (p Location) Exists() bool { return p.value != nil || p.node.Exists() }

// None returns a missing value of the same document.
func (p Location) None() Location { return Location{doc: p.doc} }

// Kind returns the kind of the value.
func (p Location) Kind() syntax.Kind {
	if p.value != nil {
		return p.value.Kind()
	}
	return p.node.Kind()
}

// Name returns the name of a member; empty for other values.
func (p Location) Name() string {
	if p.value != nil {
		return p.value.Name()
	}
	return kept(p.node.Name())
}

// Text returns the value of a string; empty for other kinds.
func (p Location) Text() string {
	if p.value != nil {
		return p.value.Text()
	}
	return kept(p.node.Text())
}

// Number returns the JSON text of a number; empty for other kinds.
func (p Location) Number() string {
	if p.Kind() != syntax.Number {
		return ""
	}
	if p.value != nil {
		return p.value.Number()
	}
	return kept(p.node.Raw())
}

// IsTrue reports whether the value is the boolean true.
func (p Location) IsTrue() bool {
	if p.value != nil {
		return p.value.IsTrue()
	}
	return p.node.IsTrue()
}

// IsFalse reports whether the value is the boolean false.
func (p Location) IsFalse() bool { return p.Kind() == syntax.Bool && !p.IsTrue() }

// JSON returns the value as compact JSON. Strings of JSON files are spelled as in the file.
func (p Location) JSON() string {
	if p.node.Exists() {
		return plaintext.JSON(kept(p.node.Compact()))
	}
	return p.value.JSON()
}

// Constant returns a scalar as JSON, which is the same for all spellings of a string.
func (p Location) Constant() string {
	if p.value != nil {
		return p.value.JSON()
	}
	raw := p.node.Raw()
	if p.Kind() != syntax.String || !strings.Contains(raw, `\`) {
		return plaintext.JSON(kept(raw))
	}
	text, err := jsontext.AppendQuote(nil, p.Text())
	if err != nil {
		return plaintext.JSON(kept(raw))
	}
	return plaintext.JSON(string(text))
}

// All yields the members of an object or the elements of a list, in their order.
func (p Location) All() iter.Seq[Location] {
	return func(yield func(Location) bool) {
		for _, v := range p.value.All() {
			if !yield(Location{doc: p.doc, value: v}) {
				return
			}
		}
		for n := p.node.First(); n.Exists(); n = n.Next() {
			if !yield(p.in(n)) {
				return
			}
		}
	}
}

// Below yields the members with a name at any depth below the value, in the order of the text. It
// does not look within the members that it yields.
func (p Location) Below(name string) iter.Seq[Location] {
	return func(yield func(Location) bool) {
		for n := range p.node.Below(name) {
			if !yield(p.in(n)) {
				return
			}
		}
		p.belowValue(name, yield)
	}
}

// belowValue is [Location.Below] for a value that package syntax decoded. It reports whether yield
// wants more.
func (p Location) belowValue(name string, yield func(Location) bool) bool {
	for _, v := range p.value.All() {
		child := Location{doc: p.doc, value: v}
		if p.Kind() == syntax.Object && v.Name() == name {
			if !yield(child) {
				return false
			}
		} else if !child.belowValue(name, yield) {
			return false
		}
	}
	return true
}

// Len returns the number of members or elements.
func (p Location) Len() int {
	if p.value != nil {
		return len(p.value.All())
	}
	return p.node.Len()
}

// Size returns the length of the value in bytes: as written, or for files that package syntax
// decoded, about that without white space.
func (p Location) Size() int {
	if p.node.Exists() {
		return len(p.node.Raw())
	}
	n := len(p.Name()) + len(p.Text()) + len(p.Number()) + 1
	for child := range p.All() {
		n += child.Size()
	}
	return n
}

// Member returns a member of an object by its name; the first one if several have it.
func (p Location) Member(name string) Location {
	if p.value != nil {
		return Location{doc: p.doc, value: p.value.Member(name)}
	}
	return p.in(p.node.Member(name))
}

// child returns the member or element that a token of a pointer names.
func (p Location) child(token string) Location {
	switch {
	case p.value == nil:
		return p.in(p.node.Child(token))
	case p.Kind() != syntax.List:
		return p.Member(token)
	}
	all := p.value.All()
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(all) && strconv.Itoa(i) == token {
		return Location{doc: p.doc, value: all[i]}
	}
	return p.None()
}

// Doubled returns the members of an object whose name an earlier member has.
func (p Location) Doubled() []Location {
	var out []Location
	for _, n := range p.node.Doubled() {
		out = append(out, p.in(n))
	}
	return out
}

// Offset returns the number of bytes before the value.
func (p Location) Offset() int {
	if p.value != nil {
		return p.value.Offset()
	}
	return p.node.Offset()
}

// Pos returns the location as a position of models.
func (p Location) Pos() model.Pos { return p.doc.Pos(p.Offset()) }

// Where returns the location as a position of messages.
func (p Location) Where() diag.Pos { return p.doc.Where(p.Offset()) }

// Named returns the position of a member's name, with the path of the innermost value there.
func (p Location) Named() diag.Pos {
	if p.value != nil {
		return p.doc.Where(p.value.NameOffset())
	}
	return p.doc.Where(p.node.NameOffset())
}

// Errorf returns an error at the location.
func (p Location) Errorf(format string, args ...any) diag.Message {
	return diag.Errorf(p.Where(), format, args...)
}

// Twice returns the error that an earlier member of the object has the same name. Its path is that
// of the member's value.
func (p Location) Twice() diag.Message {
	pos := p.Where()
	pos.Offset = p.node.NameOffset()
	return diag.Errorf(pos, "the member %q appears twice in one object", p.Name())
}

// kept returns a text that shares no memory with the document. So models that keep texts do not
// keep the whole document in memory. Equal texts share memory.
func kept(text string) string { return unique.Make(text).Value() }
