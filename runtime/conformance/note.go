package conformance

import (
	"maps"
	"unsafe"
)

// bagNote is the annotation in which a version without a status subresource keeps what it cannot
// show.
const bagNote = "strata.dev/property-bag"

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

// withoutNote returns annotations without a bag: the same where there is none, nil where there is
// nothing else.
func withoutNote(notes map[string]string) map[string]string {
	if _, ok := notes[bagNote]; !ok {
		return notes
	}
	if len(notes) == 1 {
		return nil
	}
	notes = maps.Clone(notes)
	delete(notes, bagNote)
	return notes
}
