package jsontree

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits bound a document; zero means the default.
type Limits struct {
	Size  int // bytes of a document
	Depth int // the nesting of objects and lists
}

// The default limits, far above any published schema. MaxSize is also the largest possible
// Limits.Size.
const (
	DefaultSize  = 256 << 20
	DefaultDepth = 500
	MaxSize      = 1<<31 - 1
)

// Tree is a decoded document. Its content does not change, and it is safe for concurrent use.
type Tree struct {
	text    string
	records []record
	doubled []Node

	mu       sync.Mutex
	breadths map[uint32]*breadth // of values that have been searched, by index
}

// Root returns the document's value.
func (t *Tree) Root() Node { return Node{t, 0} }

// Doubled returns every member whose name an earlier member of its object has, in the order of the
// file.
func (t *Tree) Doubled() []Node { return t.doubled }

// Parse decodes one document. It skips a byte order mark. Objects that name a member twice are
// preserved; see Doubled. An error is a *SyntaxError. The tree has a copy of the text.
func Parse(text []byte, limits Limits) (*Tree, error) {
	if limits.Size == 0 {
		limits.Size = DefaultSize
	}
	if limits.Depth == 0 {
		limits.Depth = DefaultDepth
	}
	if size := min(limits.Size, MaxSize); len(text) > size {
		return nil, &SyntaxError{Reason: fmt.Sprintf("the document has %d bytes, more than the limit of %d", len(text), size)}
	}
	p := newParser(text, limits.Depth)
	if err := p.document(); err != nil {
		return nil, p.locate(err)
	}
	return p.tree, nil
}

type parser struct {
	tree  *Tree
	dec   *jsontext.Decoder
	skip  int // bytes before what the decoder reads
	depth int
	open  []level
}

// level is an object or list that is not yet closed.
type level struct {
	index, last uint32 // last is its latest child; 0 if there is none
	count       int
}

const byteOrderMark = "\ufeff"

// bytesPerValue is a typical size of a value in indented schemas.
const bytesPerValue = 40

func newParser(text []byte, depth int) *parser {
	body := bytes.TrimPrefix(text, []byte(byteOrderMark))
	return &parser{
		tree:  &Tree{text: string(text), records: make([]record, 0, len(body)/bytesPerValue+1)},
		dec:   jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true)),
		skip:  len(text) - len(body),
		depth: depth,
	}
}

func (p *parser) document() error {
	if err := p.value(record{}); err != nil {
		return err
	}
	for len(p.open) > 0 {
		if err := p.step(); err != nil {
			return err
		}
	}
	slices.SortFunc(p.tree.doubled, func(a, b Node) int { return cmp.Compare(a.index, b.index) })
	return p.end()
}

func (p *parser) end() error {
	rest := p.tree.text[p.offset():]
	at := len(p.tree.text) - len(strings.TrimLeft(rest, " \t\r\n"))
	_, err := p.dec.ReadToken()
	switch {
	case err == nil:
		return &SyntaxError{Offset: at, Reason: "there is more after the end of the document"}
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// step reads the next member, element or end of the innermost open value.
func (p *parser) step() error {
	top := p.open[len(p.open)-1]
	switch kind := p.dec.PeekKind(); {
	case kind == jsontext.KindEndObject || kind == jsontext.KindEndArray:
		return p.close()
	case p.tree.records[top.index].kind == Object:
		return p.member()
	}
	return p.value(record{})
}

func (p *parser) member() error {
	raw, err := p.dec.ReadValue()
	if err != nil {
		return err
	}
	start := p.offset() - len(raw)
	return p.value(record{
		name:        uint32(start + 1),
		nameLen:     uint32(len(raw) - 2),
		nameEscaped: bytes.IndexByte(raw, '\\') >= 0,
	})
}

// value reads a scalar, or opens an object or list, into a record that may already have a name.
func (p *parser) value(r record) error {
	kind := kindOf(p.dec.PeekKind())
	if kind == Object || kind == Array {
		return p.enter(r, kind)
	}
	raw, err := p.dec.ReadValue()
	if err != nil {
		return err
	}
	end := p.offset()
	r.kind, r.start, r.end = kind, uint32(end-len(raw)), uint32(end)
	r.escaped = kind == String && bytes.IndexByte(raw, '\\') >= 0
	p.add(r)
	return nil
}

func (p *parser) enter(r record, kind Kind) error {
	if _, err := p.dec.ReadToken(); err != nil {
		return err
	}
	end := p.offset()
	r.kind, r.start, r.end = kind, uint32(end-1), uint32(len(p.tree.text))+1 // until it is closed
	index := p.add(r)
	if len(p.open) == p.depth {
		return &SyntaxError{Offset: end - 1, Reason: fmt.Sprintf("objects and lists are more than %d deep", p.depth)}
	}
	p.open = append(p.open, level{index: index})
	return nil
}

func (p *parser) close() error {
	if _, err := p.dec.ReadToken(); err != nil {
		return err
	}
	top := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	r := &p.tree.records[top.index]
	r.end = uint32(p.offset())
	if r.kind == Object && top.count > 1 {
		p.double(Node{p.tree, top.index}, top.count)
	}
	return nil
}

func (p *parser) add(r record) uint32 {
	index := uint32(len(p.tree.records))
	p.tree.records = append(p.tree.records, r)
	if len(p.open) > 0 {
		top := &p.open[len(p.open)-1]
		if top.last != 0 {
			p.tree.records[top.last].next = index
		}
		top.last = index
		top.count++
	}
	return index
}

// offset returns the end of what was read last.
func (p *parser) offset() int { return p.skip + int(p.dec.InputOffset()) }

func kindOf(k jsontext.Kind) Kind {
	switch k {
	case jsontext.KindBeginObject:
		return Object
	case jsontext.KindBeginArray:
		return Array
	case jsontext.KindString:
		return String
	case jsontext.KindNumber:
		return Number
	case jsontext.KindTrue, jsontext.KindFalse:
		return Bool
	default:
		return Null // or nothing valid, which reading reports
	}
}
