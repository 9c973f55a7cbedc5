package genruntime

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// shape is what this package knows of a Go type that stands for JSON: where the members of its objects lie, and
// which of them can hold property bags. It is made once for a type; values are then read by address.
type shape struct {
	kind kind
	of   reflect.Type
	size uintptr
	// elem is what a pointer, a list or a map holds.
	elem *shape
	// fields are the members of an object, sorted by name.
	fields []field
	// always counts the fields that are.
	always int
	// embedded are the structs that a type which people wrote embeds by pointers.
	embedded []embedding
	// InOrder are the indices of the fields in the order of the type.
	inOrder []int
	// foreign is set for a type whose JSON only its own methods, or tags that are not read here, describe.
	foreign bool
	// more are the additional members of an open object, a map.
	more *field
	// replaces is the tag that lists what writing an additional member removes from the property bag;
	// nil where nothing is removed.
	replaces *string
	// bag is the offset of an object's property bag.
	bag    uintptr
	hasBag bool
	// bagOrder is the place of the bag among the fields.
	bagOrder int
	// carries reports whether a property bag can be somewhere in a value.
	carries bool
	// carriers are the fields, and more, that carry.
	carriers []field
	// entries holds what reading a map of this shape needs.
	entries sync.Pool
}

// embedding is a struct that is embedded by a pointer, which lies at the offset.
type embedding struct {
	shape  *shape
	offset uintptr
}

// kind is the sort of a shape.
type kind uint8

const (
	// opaqueKind is known by its JSON only.
	opaqueKind kind = iota
	textKind
	integerKind
	numberKind
	truthKind
	freeKind
	pointerKind
	listKind
	dictKind
	objectKind
)

// field is a member of an object.
type field struct {
	name string
	// quoted is the name as JSON, with its colon.
	quoted string
	offset uintptr
	shape  *shape
	// print is the fingerprint of the name.
	print uint64
	// preset is the fingerprint of the default; zero for none.
	preset uint64
	// keys are the members that identify an element of a list.
	keys []string
	// order is the place of the field among all of its type.
	order int
	// always tells that the member is written in any case, empties that it is left out when it is empty.
	always, empties bool
	// zeroes is set for a member that is left out when it is zero.
	zeroes bool
	// quotes is set where a scalar is written as a text.
	quotes bool
}

var shapes struct {
	known sync.Map // reflect.Type -> *shape
	sync.Mutex
}

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.known.Load(t); ok {
		return s.(*shape)
	}
	shapes.Lock()
	defer shapes.Unlock()
	m := shapeMaker{}
	s := m.shape(t)
	m.finish()
	for t, s := range m {
		shapes.known.LoadOrStore(t, s)
	}
	return s
}

// shapeMaker holds the shapes of one round, which refer to each other.
type shapeMaker map[reflect.Type]*shape

func (m shapeMaker) shape(t reflect.Type) *shape {
	if s, ok := shapes.known.Load(t); ok {
		return s.(*shape)
	}
	if s, ok := m[t]; ok {
		return s
	}
	s := &shape{of: t, size: t.Size(), kind: kindOf(t)}
	m[t] = s
	switch s.kind {
	case pointerKind, listKind, dictKind:
		s.elem = m.shape(t.Elem())
	case objectKind:
		m.addFields(s, t, 0)
		slices.SortFunc(s.fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
		s.order()
	}
	s.foreign = s.foreign || isForeign(t, s.kind)
	return s
}

// order notes the order of the fields. A type with two fields of one name is foreign.
func (s *shape) order() {
	s.inOrder = make([]int, len(s.fields))
	for i := range s.fields {
		s.inOrder[i] = i
		s.foreign = s.foreign || i > 0 && s.fields[i].name == s.fields[i-1].name
	}
	slices.SortFunc(s.inOrder, func(a, b int) int { return s.fields[a].order - s.fields[b].order })
}

// isForeign reports whether a type reads or writes its JSON by methods that are not those of open objects, of free JSON or
// of roots.
func isForeign(t reflect.Type, k kind) bool {
	if _, open := additional(t); k == freeKind || k == opaqueKind || open || t.Kind() == reflect.Pointer {
		return false
	}
	p := reflect.PointerTo(t)
	return !p.Implements(rooted) && (p.Implements(marshaler) || p.Implements(unmarshaler)) || p.Implements(textUnmarshaler) || p.Implements(textMarshaler) ||
		k == dictKind && (reflect.PointerTo(t.Key()).Implements(textUnmarshaler) || t.Key().Implements(textMarshaler))
}

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

func kindOf(t reflect.Type) kind {
	switch {
	case t == reflect.TypeFor[runtime.JSON]():
		return freeKind
	case t.Kind() == reflect.Pointer:
		return pointerKind
	}
	_, open := additional(t)
	if p := reflect.PointerTo(t); !open && !p.Implements(rooted) && p.Implements(marshaler) {
		return opaqueKind
	}
	switch t.Kind() {
	case reflect.String:
		return textKind
	case reflect.Int64:
		return integerKind
	case reflect.Float64:
		return numberKind
	case reflect.Bool:
		return truthKind
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return listKind
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return dictKind
		}
	case reflect.Struct:
		return objectKind
	}
	return opaqueKind
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// additional returns the field of an open object that has the members that its schema does not name.
func additional(t reflect.Type) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	f, found := t.FieldByName("AdditionalProperties")
	return f, found && len(f.Index) == 1 && f.Type.Kind() == reflect.Map && f.Tag.Get("json") == "-"
}

func (m shapeMaker) addFields(s *shape, t reflect.Type, offset uintptr) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Type == reflect.TypeFor[runtime.PropertyBag]():
			s.bag, s.hasBag, s.bagOrder = offset+f.Offset, true, len(s.fields)
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			m.addFields(s, f.Type, offset+f.Offset)
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct:
			s.embedded = append(s.embedded, embedding{m.shape(f.Type.Elem()), offset + f.Offset})
		case !f.IsExported() || name == "-":
		default:
			s.fields = append(s.fields, m.field(f, name, offset))
			last := &s.fields[len(s.fields)-1]
			s.foreign = s.foreign || last.quotes
			if last.order = len(s.fields); last.always {
				s.always++
			}
		}
	}
	if f, open := additional(t); open {
		more := m.field(f, "", offset)
		more.name = ""
		s.more = &more
		if text, found := f.Tag.Lookup("replaces"); found {
			s.replaces = &text
		}
	}
}

func (m shapeMaker) field(f reflect.StructField, name string, offset uintptr) field {
	if name == "" {
		name = f.Name
	}
	made := field{name: name, quoted: jsontext.QuotedName(name), offset: offset + f.Offset, shape: m.shape(f.Type), print: fingerprint.OfText(fingerprint.NameSeed, name)}
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	made.quotes = slices.Contains(strings.Split(options, ","), "string")
	made.empties = strings.Contains(options, "omitempty")
	made.zeroes = strings.Contains(options, "omitzero")
	made.always = !made.empties && !made.zeroes
	for option := range strings.SplitSeq(f.Tag.Get("strata"), ";") {
		if keys, found := strings.CutPrefix(option, "key="); found {
			made.keys = strings.Split(keys, ",")
		}
	}
	if preset, found := f.Tag.Lookup("default"); found {
		made.preset = fingerprint.OfJSON(runtime.JSON(preset))
	}
	return made
}

// finish finds out which shapes carry property bags, when all of them are known.
func (m shapeMaker) finish() {
	for _, s := range m {
		s.carries = s.reachesBag(map[*shape]bool{})
	}
	for _, s := range m {
		for _, f := range s.fields {
			if f.shape.carries {
				s.carriers = append(s.carriers, f)
			}
		}
		if s.more != nil && s.more.shape.carries {
			s.carriers = append(s.carriers, *s.more)
		}
	}
}

func (s *shape) reachesBag(visited map[*shape]bool) bool {
	if visited[s] {
		return false
	}
	visited[s] = true
	if s.hasBag || s.elem != nil && s.elem.reachesBag(visited) || s.more != nil && s.more.shape.reachesBag(visited) {
		return true
	}
	return slices.ContainsFunc(s.fields, func(f field) bool { return f.shape.reachesBag(visited) })
}
