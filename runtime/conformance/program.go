package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// program draws and compares objects of one type.
type program struct {
	of   reflect.Type
	root *object
	slab *slab
}

// compile makes the program of a struct type. It fails on types whose values have no JSON of a
// known shape.
func compile(of reflect.Type) (*program, error) { return compileFor(of, false) }

// compileFor is compile. A type that people wrote may have fields that are no business of JSON's.
func compileFor(of reflect.Type, own bool) (*program, error) {
	c := &compiler{own: own, storage: isStorage(of, map[reflect.Type]bool{}), nodes: map[reflect.Type]node{}, slabs: map[reflect.Type]*slab{}}
	root, err := c.node(of)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", of, err)
	}
	top, ok := root.(*object)
	if !ok {
		return nil, fmt.Errorf("%v is not an object", of)
	}
	return &program{of: of, root: top, slab: c.slab(of)}, nil
}

// draw returns an object that nothing else points to. The same seed gives the same object.
func (p *program) draw(d *drawer, seed uint64, budget int) unsafe.Pointer {
	d.begin(seed, budget)
	object := p.slab.take(1)
	p.root.draw(d, object, true)
	return object
}

// compare returns nil, or the first difference between two objects.
func (p *program) compare(how comparison, got, want unsafe.Pointer) fmt.Stringer {
	if p.root.equal(&how, got, want) {
		return nil
	}
	return &how
}

// ignore leaves the field at a path, as in Status.PropertyBag, out of comparisons after
// conversions. It is left out wherever its type stands.
func (p *program) ignore(path string) error {
	found, err := p.find(path)
	if err != nil {
		return fmt.Errorf("ignored field %s: %w", path, err)
	}
	found.ignored = true
	return nil
}

// find returns the field at a path of Go's names.
func (p *program) find(path string) (found *field, err error) {
	at := node(p.root)
	for name := range strings.SplitSeq(path, ".") {
		if found = fieldOf(at, name); found == nil {
			return nil, fmt.Errorf("%v has no %s", p.of, name)
		}
		at = found.node
	}
	return found, nil
}

func fieldOf(n node, name string) *field {
	switch n := n.(type) {
	case *pointer:
		return fieldOf(n.elem, name)
	case *object:
		for i := range n.fields {
			if n.fields[i].name == name {
				return &n.fields[i]
			}
		}
		for i := range n.fields {
			if n.fields[i].inline {
				if found := fieldOf(n.fields[i].node, name); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// compiler makes nodes, one per type, so that recursive types end.
type compiler struct {
	nodes map[reflect.Type]node
	slabs map[reflect.Type]*slab
	own   bool
	// storage is set for storage types.
	storage bool
	// around are the pointers, lists and maps around the type at hand, within the innermost object.
	around []reflect.Type
}

func (c *compiler) node(of reflect.Type) (node, error) {
	if slices.Contains(c.around, of) {
		return nil, fmt.Errorf("%w, which holds itself without an object between", undrawable(of))
	}
	if known, ok := c.nodes[of]; ok {
		return known, nil
	}
	switch {
	case isFree(of):
		return c.keep(of, &free{of: of}), nil
	case isBytes(of):
		return c.keep(of, &blob{of: of}), nil
	case isClock(of):
		return c.keep(of, &clock{of: of}), nil
	case isSelfEncoded(of):
		return c.keep(of, newEncoded(of)), nil
	}
	if n := newScalar(of); n != nil {
		return c.keep(of, n), nil
	}
	return c.composite(of)
}

func (c *compiler) keep(of reflect.Type, n node) node {
	c.nodes[of] = n
	return n
}

func (c *compiler) composite(of reflect.Type) (node, error) {
	switch of.Kind() {
	case reflect.Struct:
		return c.object(of)
	case reflect.Pointer:
		elem, err := c.elem(of)
		return c.keep(of, &pointer{of, elem, c.slab(of.Elem())}), err
	case reflect.Slice:
		elem, err := c.elem(of)
		return c.keep(of, &list{of, elem, c.slab(of.Elem())}), err
	case reflect.Map:
		n, err := c.newDict(of, anyDict)
		return c.keep(of, n), err
	default:
		return nil, undrawable(of)
	}
}

func undrawable(of reflect.Type) error { return fmt.Errorf("no value can be drawn for type %v", of) }

func (c *compiler) elem(of reflect.Type) (node, error) {
	c.around = append(c.around, of)
	defer func() { c.around = c.around[:len(c.around)-1] }()
	return c.node(of.Elem())
}

func (c *compiler) slab(of reflect.Type) *slab {
	if c.slabs[of] == nil {
		c.slabs[of] = newSlab(of)
	}
	return c.slabs[of]
}

func (c *compiler) object(of reflect.Type) (node, error) {
	n := &object{of: of}
	c.keep(of, n)
	around := c.around
	c.around = nil
	defer func() { c.around = around }()
	for i := range of.NumField() {
		f := of.Field(i)
		if isTypeMeta(of, f) || c.own && isPrivate(f) {
			continue
		}
		field, err := c.field(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		n.fields = append(n.fields, field)
	}
	n.takeNames()
	return n, nil
}

// isPrivate reports whether a field is no business of JSON's.
func isPrivate(f reflect.StructField) bool {
	return !f.IsExported() && !f.Anonymous && f.Tag.Get("json") == "" || jsonName(f) == "-" && f.Name != "AdditionalProperties"
}

func (c *compiler) field(f reflect.StructField) (field, error) {
	if !f.IsExported() && !f.Anonymous {
		return field{}, fmt.Errorf("no value can be drawn for an unexported field")
	}
	sort := sortOf(f)
	n, err := c.fieldNode(f, sort)
	inline := f.Anonymous && jsonName(f) == "" && f.Type.Kind() == reflect.Struct
	return field{name: f.Name, tag: jsonName(f), offset: f.Offset, node: n, keys: keysOf(f), rare: sort == rareDict, hidden: sort == rareDict, inline: inline}, err
}

// keysOf are the keys that a storage type's tag has, as in strata:"key=a,b".
func keysOf(f reflect.StructField) []string {
	for option := range strings.SplitSeq(f.Tag.Get("strata"), ";") {
		if keys, found := strings.CutPrefix(option, "key="); found {
			return strings.Split(keys, ",")
		}
	}
	return nil
}

func (c *compiler) fieldNode(f reflect.StructField, sort dictSort) (node, error) {
	switch {
	case isObjectMeta(f):
		return c.objectMeta(f.Type)
	case sort != anyDict:
		return c.newDict(f.Type, sort)
	default:
		return c.node(f.Type)
	}
}
