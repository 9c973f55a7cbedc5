package conformance

import (
	"fmt"
	"reflect"
	"slices"
)

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

// compile makes the program of a struct type. It fails on types whose values have no JSON of a
// known shape.
func compile(of reflect.Type) (*program, error) { return compileFor(of, false) }

// compileFor is compile for a type that the author may have written: it may have fields that JSON
// does not have.
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

func (c *compiler) field(f reflect.StructField) (field, error) {
	if !f.IsExported() && !f.Anonymous {
		return field{}, fmt.Errorf("no value can be drawn for an unexported field")
	}
	sort := sortOf(f)
	n, err := c.fieldNode(f, sort)
	inline := f.Anonymous && jsonName(f) == "" && f.Type.Kind() == reflect.Struct
	return field{name: f.Name, tag: jsonName(f), offset: f.Offset, node: n, keys: keysOf(f), rare: sort == rareDict, hidden: sort == rareDict, inline: inline}, err
}

// sortOf reports how a map is drawn. An emptied property bag is an absent one, and so are no
// further members of an object, which stand beside the others in its JSON.
func sortOf(f reflect.StructField) dictSort {
	name := jsonName(f)
	switch {
	case f.Type.Kind() != reflect.Map:
		return anyDict
	case isBag(f):
		return rareDict
	case name == "-" && f.Name == "AdditionalProperties":
		return filledDict
	default:
		return anyDict
	}
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

// newDict returns the node of a map by strings.
func (c *compiler) newDict(of reflect.Type, sort dictSort) (node, error) {
	if of.Key().Kind() != reflect.String {
		return nil, undrawable(of)
	}
	elem, err := c.elem(of)
	if inner, ok := elem.(*free); ok && sort == rareDict {
		elem = &bagEntry{*inner}
	}
	if sort == filledDict {
		elem = byValue(elem)
	}
	stored := c.storage && sort == anyDict
	switch {
	case of.Elem().Kind() == reflect.String:
		return &plainDict[string]{of: of, elem: elem, sort: sort, stored: stored}, err
	case isBytes(of.Elem()):
		return &plainDict[[]byte]{of: of, elem: elem, sort: sort, stored: stored}, err
	default:
		return &dict{of: of, elem: elem, slab: c.slab(of.Elem()), sort: sort, stored: stored}, err
	}
}

// objectMeta is an object of those fields alone.
func (c *compiler) objectMeta(of reflect.Type) (node, error) {
	n := &object{}
	for i := range of.NumField() {
		f := of.Field(i)
		if !slices.Contains(metaFields, f.Name) {
			continue
		}
		inner, err := c.metaField(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		n.fields = append(n.fields, field{name: f.Name, tag: jsonName(f), offset: f.Offset, node: inner})
	}
	return n, nil
}

// metaField makes maps that are never empty: their JSON does not distinguish empty from absent.
func (c *compiler) metaField(of reflect.Type) (node, error) {
	if of.Kind() == reflect.Map {
		return c.newDict(of, filledDict)
	}
	return c.node(of)
}
