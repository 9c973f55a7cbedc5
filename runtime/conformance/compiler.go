package conformance

import (
	"fmt"
	"reflect"
	"slices"
)

// compiler makes nodes, one for each type, so that compiling recursive types ends.
type compiler struct {
	nodes map[reflect.Type]node
	slabs map[reflect.Type]*slab
	own   bool
	// storage means that the type is a storage type.
	storage bool
	// around are the pointers, lists and maps around the current type, within the innermost
	// object.
	around []reflect.Type
}

// compile compiles a struct type. It returns an error for a type whose JSON has no known shape.
func compile(of reflect.Type) (*program, error) { return compileFor(of, false) }

// compileFor is compile, for a type that may be hand-written if own is set. Such a type may have
// fields without JSON.
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

// sortOf returns how a map is drawn. An empty property bag is the same as an absent one. So are
// empty additional members of an object.
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

// newDict returns the node of a map with string keys.
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

// objectMeta returns the node of an ObjectMeta with only the fields in metaFields.
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

// metaField returns the node of a metadata field. Its maps are never drawn empty, because their
// JSON does not distinguish empty from absent.
func (c *compiler) metaField(of reflect.Type) (node, error) {
	if of.Kind() == reflect.Map {
		return c.newDict(of, filledDict)
	}
	return c.node(of)
}
