package conformance

import (
	"fmt"
	"strconv"
	"unsafe"
)

// proveKeys checks that no key of a map in a storage object is the name of property bags. A later
// version that names members of the map would read such a key as a property bag.
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

// proveKey returns an error for the name of property bags as a key of a map. Additional members
// are written with other names.
func proveKey(sort dictSort, key string) error {
	if sort == anyDict && key == bagName {
		return fmt.Errorf(" has a key %s, which reads as a property bag", bagName)
	}
	return nil
}
