package conformance

import (
	"reflect"
	"unsafe"
)

// bagOf returns the address of an API object's bag, and nil if it has no status.
func (l *link) bagOf(a unsafe.Pointer) **string {
	if l.bag == nil {
		return nil
	}
	status := l.statusOf(a)
	if status == nil {
		return nil
	}
	return (**string)(unsafe.Add(status, l.bagAt))
}

// statusOf returns the address of an API object's status, and nil if it has none.
func (l *link) statusOf(a unsafe.Pointer) unsafe.Pointer {
	at := unsafe.Add(a, l.status.offset)
	if _, ok := l.status.node.(*pointer); ok {
		return *(*unsafe.Pointer)(at)
	}
	return at
}

// bagOffset returns the offset of the bag in a status. The bag may be in an embedded struct.
func bagOffset(api reflect.Type) (offset uintptr) {
	status, _ := api.FieldByName("Status")
	of := status.Type
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	bag, _ := of.FieldByName("PropertyBag")
	for _, i := range bag.Index {
		offset += of.Field(i).Offset
		of = of.Field(i).Type
	}
	return offset
}

// annotations returns the address of an API object's annotations. It returns nil for a version that
// has its bag in the status.
func (l *link) annotations(object unsafe.Pointer) *map[string]string {
	if l.bag != nil {
		return nil
	}
	f, err := l.programs.api.find("ObjectMeta.Annotations")
	if err != nil {
		return nil
	}
	return (*map[string]string)(unsafe.Add(object, f.offset+l.programs.api.metaOffset()))
}

// metaOffset returns the offset of a root's metadata.
func (p *program) metaOffset() uintptr {
	f, err := p.find("ObjectMeta")
	if err != nil {
		return 0
	}
	return f.offset
}

// keepAnnotation sets the bag annotation of an edited object to that of the object read, because
// clients do not change it.
func (l *link) keepAnnotation(read, edited unsafe.Pointer) {
	was, is := l.annotations(read), l.annotations(edited)
	if was == nil {
		return
	}
	*is = withoutAnnotation(*is)
	if bag, ok := (*was)[bagAnnotation]; ok {
		l.setAnnotation(edited, bag)
	}
}

// setAnnotation sets the bag annotation, in a new map of annotations.
func (l *link) setAnnotation(object unsafe.Pointer, bag string) {
	annotations := l.annotations(object)
	own := map[string]string{bagAnnotation: bag}
	for key, value := range *annotations {
		if key != bagAnnotation {
			own[key] = value
		}
	}
	*annotations = own
}

// dropAnnotation removes the bag annotation. It does not change the old map.
func (l *link) dropAnnotation(object unsafe.Pointer) {
	if annotations := l.annotations(object); annotations != nil {
		*annotations = withoutAnnotation(*annotations)
	}
}
