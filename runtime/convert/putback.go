package convert

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Encode writes a root as JSON. It restores values that [Decode] removed in this version, and
// leaves them out of the bags. A live value has precedence. Elements of a list return to their
// former indices, or to the end of a list that has become shorter. If the list is absent, its
// elements are lost. Encode does not change the root. Its time is linear in the length of the
// output.
func Encode(root any) ([]byte, error) { return Append(nil, root) }

// Append is [Encode], but appends the JSON to dst. On an error it returns dst.
func Append(dst []byte, root any) ([]byte, error) { return appendRoot(nil, dst, root) }

// AppendContext is [Append], but returns the error of ctx once ctx is done.
func AppendContext(ctx context.Context, dst []byte, root any) ([]byte, error) {
	return appendRoot(watch.New(ctx), dst, root)
}

func appendRoot(watch *watch.Watch, dst []byte, root any) ([]byte, error) {
	out, err := encodeRoot(watch, dst, root)
	if err != nil {
		return dst, fmt.Errorf("encode %T: %w", root, err)
	}
	return out, nil
}

func encodeRoot(watch *watch.Watch, dst []byte, root any) ([]byte, error) {
	of := shape.Pointee(root, 1)
	if of == nil || shape.Address(root) == nil || shape.Of(of).Kind != shape.Object || shape.Of(of).Foreign {
		return jsontext.Append(dst, root)
	}
	s, p := shape.Of(of), shape.Address(root)
	w := codec.Writer{Out: dst, Watch: watch}
	var nodes *codec.MisfitNode
	if api, ok := root.(runtime.Hider); ok {
		p, nodes = takeBack(s, p, api)
	} else {
		w.Version = versionAt(s, p)
	}
	_, atRoot := root.(shape.Rooted)
	if !atRoot {
		return w.Root(s, p, nodes)
	}
	w.Out = nil
	if err := w.Object(s, p, nodes); err != nil {
		return dst, err
	}
	return append(dst, jsontext.SpreadSpec(w.Out)...), nil
}

// versionAt returns the label of the API version that the storage object at p belongs to; empty if
// the object has no apiVersion.
func versionAt(s *shape.Shape, p unsafe.Pointer) string {
	f := s.Member("apiVersion")
	if f == nil || f.Shape.Kind != shape.Text {
		return ""
	}
	_, version, _ := strings.Cut(*(*string)(unsafe.Add(p, f.Offset)), "/")
	return strings.TrimSuffix(version, label.StorageSuffix)
}

// takeBack returns the misfits in the status bag of an API root, and the root without them. It
// does not change root: if there are misfits, it returns a shallow copy with the rest of the bag.
func takeBack(s *shape.Shape, p unsafe.Pointer, root runtime.Hider) (unsafe.Pointer, *codec.MisfitNode) {
	text := root.StatusBag()
	if text == nil || !strings.Contains(*text, bag.RawSuffix) && !strings.Contains(*text, `"raw":`) {
		return p, nil
	}
	data := unsafe.Slice(unsafe.StringData(*text), len(*text)) // Nothing changes these bytes.
	h, err := hidden.ReadShared(data)
	if err != nil {
		return p, nil
	}
	t := taker{Cursor: jsontext.Cursor{Data: data}, version: root.OriginalGVK().Version}
	nodes := t.root()
	if len(nodes.Inner) == 0 {
		return p, nil
	}
	var left *string
	if t.content {
		left = new(string(t.out))
	}
	return withBag(s, p, left, h.NoStatus), nodes
}

// withBag returns a copy of the root at p with another bag. If bag is nil and noStatus is set, it
// removes a status that was created to store the bag.
func withBag(s *shape.Shape, p unsafe.Pointer, bag *string, noStatus bool) unsafe.Pointer {
	root := reflect.New(s.Type)
	root.Elem().Set(s.MapAt(p))
	var status reflect.Value // a pointer to the copy's own status
	if f := s.Member("status"); f != nil && f.Shape.Kind == shape.Pointer {
		status = reflect.NewAt(f.Shape.Type, unsafe.Add(root.UnsafePointer(), f.Offset)).Elem()
		if !status.IsNil() {
			copied := reflect.New(status.Type().Elem())
			copied.Elem().Set(status.Elem())
			status.Set(copied)
		}
	}
	root.Interface().(runtime.Hider).SetStatusBag(bag)
	if noStatus && bag == nil && status.IsValid() && !status.IsNil() && status.Elem().IsZero() {
		status.SetZero()
	}
	return root.UnsafePointer()
}

// taker reads a status bag in one pass. It collects the misfits of one version, and writes the
// rest of the bag to out.
type taker struct {
	jsontext.Cursor
	version string
	out     []byte
	// content reports whether the rest of the bag has more than a header.
	content bool
}

// root reads the whole bag.
func (t *taker) root() *codec.MisfitNode {
	nodes := &codec.MisfitNode{}
	t.out = append(t.out, '{')
	for t.Take('{'); t.More('}'); {
		name := string(t.Name())
		mark := len(t.out)
		t.begin(name)
		switch name {
		case "raw":
			t.out = t.out[:mark]
			t.sections(nodes)
			continue
		case "spec", "status":
			if t.within(nodes, name, codec.NoIndex) {
				t.out = t.out[:mark]
				continue
			}
		default:
			t.out = append(t.out, t.Raw()...)
		}
		t.content = t.content || hidden.IsContent(name)
	}
	t.out = append(t.out, '}')
	return nodes
}

// sections reads the section raw of a bag, and takes all of it.
func (t *taker) sections(nodes *codec.MisfitNode) {
	if t.Peek() != '{' {
		t.Raw()
		return
	}
	mark := len(t.out)
	for t.Take('{'); t.More('}'); {
		t.within(nodes, string(t.Name()), codec.NoIndex)
		t.out = t.out[:mark]
	}
}

func (t *taker) begin(name string) {
	t.separate()
	t.out = append(jsontext.AppendText(t.out, name), ':')
}

func (t *taker) separate() {
	if last := t.out[len(t.out)-1]; last != '{' && last != '[' {
		t.out = append(t.out, ',')
	}
}

// within reads the hidden values of a member or an element, and adds its misfits to nodes. It
// reports whether no hidden values remain.
func (t *taker) within(nodes *codec.MisfitNode, name string, index int) (empty bool) {
	node := &codec.MisfitNode{}
	empty = t.node(node)
	if len(node.Entries) > 0 || len(node.Inner) > 0 {
		nodes.Inner = append(nodes.Inner, codec.InnerMisfits{Name: name, Index: index, Node: node})
	}
	return empty
}

// node reads the hidden values of a value, and adds its misfits to node. It reports whether it
// took misfits and no hidden values remain.
func (t *taker) node(node *codec.MisfitNode) (empty bool) {
	if t.Peek() != '{' {
		t.out = append(t.out, t.Raw()...)
		return false
	}
	start := len(t.out)
	t.out = append(t.out, '{')
	gone := false
	for t.Take('{'); t.More('}'); {
		name := t.Name()
		mark := len(t.out)
		t.begin(string(name))
		empty := false
		switch hidden.SectionOf(name, t.Peek()) {
		case hidden.Entries:
			empty = t.bag(node)
		case hidden.Elements:
			empty = t.elements(node)
			gone = gone || empty
		case hidden.Members:
			empty = t.members(node, codec.NoIndex)
		case hidden.More:
			empty = t.members(node, codec.MoreIndex)
		default:
			t.out = append(t.out, t.Raw()...)
		}
		if empty {
			t.out = t.out[:mark]
		}
	}
	t.out = append(t.out, '}')
	return gone || len(t.out) == start+len("{}")
}

func (t *taker) bag(node *codec.MisfitNode) (empty bool) {
	start := len(t.out)
	t.out = append(t.out, '{')
	count := t.Cursor.Count()
	for t.Take('{'); t.More('}'); {
		key := jsontext.Borrow(t.Name())
		value := t.Raw()
		if k, own := bag.ReadMisfit(key, t.version); own {
			if node.Entries == nil {
				node.Entries = make([]codec.Misfit, 0, count)
			}
			k.Name = bag.APIName(k.Name)
			node.Entries = append(node.Entries, codec.Misfit{MisfitKey: k, Value: value})
			continue
		}
		t.begin(key)
		t.out = append(t.out, value...)
	}
	t.out = append(t.out, '}')
	return len(t.out) == start+len("{}")
}

func (t *taker) members(node *codec.MisfitNode, index int) (empty bool) {
	start := len(t.out)
	t.out = append(t.out, '{')
	for t.Take('{'); t.More('}'); {
		name := jsontext.Borrow(t.Name())
		mark := len(t.out)
		if t.begin(name); t.within(node, name, index) {
			t.out = t.out[:mark]
		}
	}
	t.out = append(t.out, '}')
	return len(t.out) == start+len("{}")
}

// elements is members for a list: [[index, ..., hidden]].
func (t *taker) elements(node *codec.MisfitNode) (empty bool) {
	start := len(t.out)
	t.out = append(t.out, '[')
	for t.Take('['); t.More(']'); {
		mark := len(t.out)
		t.separate()
		if t.element(node) {
			t.out = t.out[:mark]
		}
	}
	t.out = append(t.out, ']')
	return len(t.out) == start+len("[]")
}

// element reads [index, ..., hidden]. The hidden values are the only object in it.
func (t *taker) element(node *codec.MisfitNode) (empty bool) {
	if t.Peek() != '[' {
		t.out = append(t.out, t.Raw()...)
		return false
	}
	t.out = append(t.out, '[')
	index := int64(codec.NoIndex)
	t.Take('[')
	for i := 0; t.More(']'); i++ {
		t.separate()
		switch value := t.Peek(); {
		case i == 0:
			start := t.At
			index = t.Integer()
			t.out = append(t.out, bytes.TrimSpace(t.Data[start:t.At])...)
		case value == '{' && index >= 0:
			empty = t.within(node, "", int(index)) || empty
		default:
			t.out = append(t.out, t.Raw()...)
		}
	}
	t.out = append(t.out, ']')
	return empty
}
