package conformance

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// storedName is the name that a member, or a key of a map, has in storage.
func storedName(name string) string {
	if strings.TrimLeft(name, "$") == bagName[1:] && name != bagName[1:] {
		return "$" + name
	}
	return name
}

// isBag reports whether a field is a property bag, and not a property that is called like one.
func isBag(f reflect.StructField) bool {
	return jsonName(f) == bagName && f.Type.Kind() == reflect.Map && f.Type.Name() == "PropertyBag"
}

// isStorage reports whether objects of a type, or those within, have property bags.
func isStorage(of reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[of] || strings.HasPrefix(of.PkgPath(), "k8s.io/") {
		return false
	}
	seen[of] = true
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return isStorage(of.Elem(), seen)
	case reflect.Struct:
	default:
		return false
	}
	for i := range of.NumField() {
		if f := of.Field(i); isBag(f) || isStorage(f.Type, seen) {
			return true
		}
	}
	return false
}

// proveKeys checks of a storage object that no key of a map is that of property bags: where a
// later version names members of the map, it would be read as one.
func (p *program) proveKeys(object unsafe.Pointer) error {
	for _, section := range [...]string{"Spec", "Status"} {
		if f, err := p.find(section); err == nil {
			if err := proveKeys(f.node, unsafe.Add(object, f.offset)); err != nil {
				return fmt.Errorf("%s%w", section, err)
			}
		}
	}
	return nil
}

func proveKeys(n node, p unsafe.Pointer) error {
	switch n := n.(type) {
	case *object:
		for i := range n.fields {
			f := &n.fields[i]
			if f.rare {
				continue
			}
			if err := proveKeys(f.node, unsafe.Add(p, f.offset)); err != nil {
				return fmt.Errorf(".%s%w", f.name, err)
			}
		}
	case *pointer:
		if value := *(*unsafe.Pointer)(p); value != nil {
			return proveKeys(n.elem, value)
		}
	case *list:
		header := (*sliceHeader)(p)
		for i := range header.len {
			if err := proveKeys(n.elem, n.at(header, i)); err != nil {
				return fmt.Errorf("[%d]%w", i, err)
			}
		}
	case *dict:
		for _, e := range n.entries(p) {
			if err := proveKey(n.sort, e.key); err != nil {
				return err
			}
			if err := proveKeys(n.elem, e.value); err != nil {
				return fmt.Errorf("[%s]%w", strconv.Quote(e.key), err)
			}
		}
	case mapping:
		for _, key := range n.keys(p) {
			if err := proveKey(n.sorted(), key); err != nil {
				return err
			}
		}
	}
	return nil
}

// proveKey refuses the key of property bags in a map. Additional members are written under other
// names.
func proveKey(sort dictSort, key string) error {
	if sort == anyDict && key == bagName {
		return fmt.Errorf(" has a key %s, which reads as a property bag", bagName)
	}
	return nil
}
