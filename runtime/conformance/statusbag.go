package conformance

import (
	"reflect"
	"unsafe"
)

// bagOf returns where an API object has its bag, nil if it has no status.
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

// statusOf returns where the status of an API object lies, nil if it has none.
func (l *link) statusOf(a unsafe.Pointer) unsafe.Pointer {
	at := unsafe.Add(a, l.status.offset)
	if _, ok := l.status.node.(*pointer); ok {
		return *(*unsafe.Pointer)(at)
	}
	return at
}

// bagOffset is where a status has its bag, which may lie in a struct that it embeds.
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

// notes are an API object's annotations, nil of a version that has its bag in the status.
func (l *link) notes(object unsafe.Pointer) *map[string]string {
	if l.bag != nil {
		return nil
	}
	f, err := l.programs.api.find("ObjectMeta.Annotations")
	if err != nil {
		return nil
	}
	return (*map[string]string)(unsafe.Add(object, f.offset+l.programs.api.metaOffset()))
}

// metaOffset is where a root has its metadata.
func (p *program) metaOffset() uintptr {
	f, err := p.find("ObjectMeta")
	if err != nil {
		return 0
	}
	return f.offset
}

// keepNote gives an edited object the bag that was read with it: clients leave it alone.
func (l *link) keepNote(read, edited unsafe.Pointer) {
	was, is := l.notes(read), l.notes(edited)
	if was == nil {
		return
	}
	*is = withoutNote(*is)
	if bag, ok := (*was)[bagNote]; ok {
		l.setNote(edited, bag)
	}
}

// setNote sets the bag, in annotations of the object's own.
func (l *link) setNote(object unsafe.Pointer, bag string) {
	notes := l.notes(object)
	own := map[string]string{bagNote: bag}
	for key, value := range *notes {
		if key != bagNote {
			own[key] = value
		}
	}
	*notes = own
}

// dropNote takes the bag off an object, which then has annotations of its own.
func (l *link) dropNote(object unsafe.Pointer) {
	if notes := l.notes(object); notes != nil {
		*notes = withoutNote(*notes)
	}
}
